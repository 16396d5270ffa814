package evoscope.runner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests of JUnit 5 with the launcher of the JUnit platform. */
final class JupiterTests implements Engine, TestExecutionListener {
    private final Map<String, Long> begun = new HashMap<>();
    private Reporter reporter;
    private boolean fine = true;

    @Override
    public boolean run(List<Class<?>> classes, Selection selection, Reporter to) {
        reporter = to;
        List<ClassSelector> selectors = new ArrayList<>();
        for (Class<?> type : classes) {
            selectors.add(DiscoverySelectors.selectClass(type));
        }
        LauncherConfig config = LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .build();
        LauncherFactory.create(config).execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(EngineFilter.includeEngines("junit-jupiter"), (PostDiscoveryFilter) found -> wanted(found, selection))
                .build(),
            this);
        return fine;
    }

    private static FilterResult wanted(TestDescriptor descriptor, Selection selection) {
        Optional<MethodSource> method = descriptor.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast);
        if (!method.isPresent()) {
            return FilterResult.included("not a method");
        }
        String type = method.get().getClassName();
        String name = method.get().getMethodName();
        for (String at = type; ; at = at.substring(0, at.lastIndexOf('$'))) {
            if (selection.wants(at, name)) {
                return FilterResult.included("selected");
            }
            if (at.lastIndexOf('$') <= at.lastIndexOf('.')) {
                return FilterResult.excluded("not selected");
            }
        }
    }

    /**
     * The id of a test: `package.Class#method`, or `package.Class#method[2]` for a repeated or parameterised test. The
     * id of a class is `package.Class`.
     */
    private static String id(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof ClassSource) {
            return ((ClassSource) source).getClassName();
        }
        if (!(source instanceof MethodSource)) {
            return test.getUniqueId();
        }
        MethodSource method = (MethodSource) source;
        StringBuilder id = new StringBuilder(method.getClassName()).append('#').append(method.getMethodName());
        for (UniqueId.Segment segment : UniqueId.parse(test.getUniqueId()).getSegments()) {
            if (segment.getType().equals("test-template-invocation") || segment.getType().startsWith("dynamic-")) {
                id.append('[').append(segment.getValue().replace("#", "")).append(']');
            }
        }
        return id.toString();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            reporter.begin(id(test));
            begun.put(test.getUniqueId(), System.nanoTime());
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        if (test.isTest()) {
            reporter.begin(id(test));
            reporter.end(id(test), "skipped", 0, null);
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Throwable why = result.getThrowable().orElse(null);
        boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
        fine &= !failed;
        if (!test.isTest()) {
            if (failed) {
                reporter.collect(id(test), why == null ? new AssertionError("failed") : why);
            }
            return;
        }
        Long start = begun.remove(test.getUniqueId());
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        String outcome = passed ? "passed" : failed ? "failed" : "skipped";
        reporter.end(id(test), outcome, start == null ? 0 : System.nanoTime() - start, passed ? null : why);
    }
}
