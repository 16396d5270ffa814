package evoscope.runner;

import java.util.List;

/** A test framework that runs the tests of some classes. */
interface Engine {
    /** Runs the selected tests of the classes and reports each test. Returns whether no test failed. */
    boolean run(List<Class<?>> classes, Selection selection, Reporter reporter) throws Exception;
}
