package evoscope.runner;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/** Runs tests of JUnit 3 and 4 with JUnit 4's runner. */
final class JUnit4Tests extends RunListener implements Engine {
    private final Map<Description, Throwable> thrown = new HashMap<>();
    private final Map<Description, Long> begun = new HashMap<>();
    private final Set<Description> assumed = new HashSet<>();
    private Reporter reporter;
    private boolean fine = true;

    @Override
    public boolean run(List<Class<?>> classes, Selection selection, Reporter to) {
        reporter = to;
        // JUnitCore would create a Result. This class is slow to load and not needed here.
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(this);
        for (Class<?> type : classes) {
            Request request = Request.aClass(type).filterWith(new Selected(type.getName(), selection));
            request.getRunner().run(notifier);
        }
        return fine;
    }

    /** Selects the requested tests of the class {@code name}. A request may also name the class in a description. */
    private static final class Selected extends Filter {
        private final String name;
        private final Selection selection;

        Selected(String name, Selection selection) {
            this.name = name;
            this.selection = selection;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                String own = description.getClassName();
                String method = description.getMethodName();
                return method == null || selection.wants(name, method) || selection.wants(own, method);
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "selected";
        }
    }

    private static String id(Description description) {
        return description.getClassName() + "#" + description.getMethodName();
    }

    @Override
    public void testStarted(Description description) {
        reporter.begin(id(description));
        begun.put(description, System.nanoTime());
    }

    @Override
    public void testFailure(Failure failure) {
        Description description = failure.getDescription();
        fine = false;
        if (begun.containsKey(description)) {
            thrown.putIfAbsent(description, failure.getException());
        } else if (description.getMethodName() == null || "initializationError".equals(description.getMethodName())) {
            reporter.collect(description.getDisplayName(), failure.getException());
        } else {
            reporter.begin(id(description));
            reporter.end(id(description), "failed", 0, failure.getException());
        }
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        thrown.putIfAbsent(failure.getDescription(), failure.getException());
        assumed.add(failure.getDescription());
    }

    @Override
    public void testIgnored(Description description) {
        if (description.getMethodName() != null) {
            reporter.begin(id(description));
            reporter.end(id(description), "skipped", 0, null);
        }
    }

    @Override
    public void testFinished(Description description) {
        Long start = begun.remove(description);
        Throwable why = thrown.remove(description);
        boolean skipped = assumed.remove(description);
        String outcome = why == null ? "passed" : skipped ? "skipped" : "failed";
        reporter.end(id(description), outcome, start == null ? 0 : System.nanoTime() - start, why);
    }
}
