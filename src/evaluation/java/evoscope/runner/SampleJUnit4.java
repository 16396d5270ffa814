package evoscope.runner;

import static org.junit.Assert.assertEquals;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Tests that run once when an environment is built. This adds the classes that JUnit 4 uses to the class archive. */
public class SampleJUnit4 {
    private String text;

    @Before
    public void before() {
        text = "a";
    }

    @After
    public void after() {
        text = null;
    }

    @Test
    public void passes() {
        assertEquals("a", text);
    }

    @Test(expected = IllegalStateException.class)
    public void throwsAnException() {
        throw new IllegalStateException("a");
    }

    @Test
    public void fails() {
        assertEquals("b", text);
    }
}
