package evoscope.runner;

import java.util.LinkedHashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The tests that a run is asked for, by class: whole classes, or methods of them. */
final class Selection {
    /** The methods by class, in the order of the request; no methods where the whole class is wanted. */
    private final Map<String, Set<String>> classes = new LinkedHashMap<>();
    /** Classes that were named by their files, which need not have tests. */
    private final Set<String> byFile = new HashSet<>();

    /** Adds `package.Class#method`, `package.Class`. */
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
        return methods.isEmpty() || methods.contains(method) || methods.contains(withoutParameters(method));
    }

    static String withoutParameters(String method) {
        int bracket = method.indexOf('[');
        return bracket < 0 ? method : method.substring(0, bracket);
    }
}
