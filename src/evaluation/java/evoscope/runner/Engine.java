package evoscope.runner;

import java.util.List;

/** A test framework that runs the tests of some classes. */
interface Engine {
    /** Runs the selected tests and reports each of them. Returns whether no test failed. */
    boolean run(List<Class<?>> classes, Selection selection, Reporter reporter) throws Exception;
}
