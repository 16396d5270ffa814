package evoscope.runner;

import junit.framework.TestCase;

/** Tests of JUnit 3 that run once when an environment is built, for the same purpose as {@link SampleJUnit4}. */
public class SampleJUnit3 extends TestCase {
    public void testPasses() {
        assertEquals("a", "a");
    }

    public void testFails() {
        assertEquals("a", "b");
    }
}
