package evoscope.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of JUnit 5 that run once when an environment is built. The environment's class archive gets the classes that
 * they use.
 */
class SampleJupiter {
    private String text;

    @BeforeEach
    void before() {
        text = "a";
    }

    @Test
    void passes() {
        assertEquals("a", text);
    }

    @Test
    void throwsAnException() {
        assertThrows(IllegalStateException.class, () -> {
            throw new IllegalStateException(text);
        });
    }

    @Test
    void fails() {
        assertEquals("b", text);
    }
}
