package evoscope.runner;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tests that a run must execute: whole classes, or some methods of a class. */
final class Selection {
    /** Key: a requested class. Value: its requested methods; an empty set means all tests of the class. */
    private final Map<String, Set<String>> classes = new LinkedHashMap<>();
    /** The classes that were requested by the path of their file. Such a class need not have tests. */
    private final Set<String> byFile = new HashSet<>();
    /** The requested methods ({@code package.Class#method}) that JUnit has found. */
    private final Set<String> found = new HashSet<>();

    /** Adds a request: `package.Class#method` for a method, or `package.Class` for all tests of a class. */
    void add(String entry) {
        int hash = entry.indexOf('#');
        String name = hash < 0 ? entry : entry.substring(0, hash);
        if (hash < 0) {
            classes.put(name, new HashSet<>());
            return;
        }
        Set<String> methods = classes.get(name);
        if (methods == null) {
            methods = new HashSet<>();
            classes.put(name, methods);
        } else if (methods.isEmpty()) {
            return;
        }
        methods.add(entry.substring(hash + 1));
    }

    /** Adds all tests of a class that was requested by the path of its file. `name` is the name of the class. */
    void addFile(String name) {
        add(name);
        byFile.add(name);
    }

    Set<String> classNames() {
        return classes.keySet();
    }

    boolean isByFile(String className) {
        return byFile.contains(className);
    }

    /**
     * Whether a method of a class is requested. A request for `f`, for `f[1]` or for the whole class includes the
     * method `f[1]`. Also records that JUnit has found the requested method.
     */
    boolean wants(String className, String method) {
        Set<String> methods = classes.get(className);
        if (methods == null) {
            return false;
        }
        boolean wanted = methods.isEmpty();
        String plain = withoutParameters(method);
        for (String each : methods) {
            // JUnit discovers "f" before "f[1]". So if "f[1]" is requested, "f" must be accepted too.
            if (each.equals(method) || each.equals(plain) || plain.equals(method) && each.startsWith(method + "[")) {
                found.add(className + "#" + each);
                wanted = true;
            }
        }
        return wanted;
    }

    /** The requested methods ({@code package.Class#method}) that JUnit has not found. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        classes.forEach((name, methods) -> methods.forEach(method -> missing.add(name + "#" + method)));
        missing.removeAll(found);
        return missing;
    }

    static String withoutParameters(String method) {
        int bracket = method.indexOf('[');
        return bracket < 0 ? method : method.substring(0, bracket);
    }
}
