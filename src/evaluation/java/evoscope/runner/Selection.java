package evoscope.runner;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tests that a run must execute, by class: whole classes, or some of their methods. */
final class Selection {
    /** The methods by class, in the order of the request. An empty set means that all tests of the class are requested. */
    private final Map<String, Set<String>> classes = new LinkedHashMap<>();
    /** Classes that were named by their files. They need not have tests. */
    private final Set<String> byFile = new HashSet<>();
    /** The requested methods ({@code package.Class#method}) for which a test was found. */
    private final Set<String> found = new HashSet<>();

    /** Adds an entry: `package.Class#method` or `package.Class`. */
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

    /** Adds the class of a test file. */
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

    /** Whether a test of a class is wanted, by its name with or without its parameters. */
    boolean wants(String className, String method) {
        Set<String> methods = classes.get(className);
        if (methods == null) {
            return false;
        }
        boolean wanted = methods.isEmpty();
        String plain = withoutParameters(method);
        for (String each : methods) {
            // JUnit discovers a method before the tests for its parameters: for a requested "f[1]" it has to accept "f" too.
            if (each.equals(method) || each.equals(plain) || plain.equals(method) && each.startsWith(method + "[")) {
                found.add(className + "#" + each);
                wanted = true;
            }
        }
        return wanted;
    }

    /** The tests that were requested by name but that no class has. */
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
