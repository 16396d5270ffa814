package evoscope.runner;

import java.util.List;

/** A way to run the tests of some classes. */
interface Engine {
    /** Runs the selected tests, reports each, and returns whether all passed. */
    boolean run(List<Class<?>> classes, Selection selection, Reporter reporter) throws Exception;
}
