package evoscope.runner;

import junit.framework.TestCase;

/** Tests in the style of JUnit 3 that run once when an environment is built. {@link SampleJUnit4} explains why. */
public class SampleJUnit3 extends TestCase {
    public void testPasses() {
        assertEquals("a", "a");
    }

    public void testFails() {
        assertEquals("a", "b");
    }
}
