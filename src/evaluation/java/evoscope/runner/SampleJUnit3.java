package evoscope.runner;

import junit.framework.TestCase;

/** The same tests as {@link SampleJUnit4}, for JUnit 3. */
public class SampleJUnit3 extends TestCase {
    public void testPasses() {
        assertEquals("a", "a");
    }

    public void testFails() {
        assertEquals("a", "b");
    }
}
