package uploadlab.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.BindException;

import org.junit.jupiter.api.Test;

/** What a part says last is one line, and tells the reason. */
class ConductorTest {
    @Test
    void aRootCauseIsSaidWhereTheErrorItselfDoesNotTellIt() {
        Throwable cause = new RuntimeException(new BindException("Address already in use"));
        assertEquals(
                "java.io.IOException: Failed to bind (java.net.BindException: Address already in use)",
                Conductor.sentence(new IOException("Failed to bind", cause)));
        assertEquals(
                "Lost. (java.io.EOFException)", Conductor.sentence(new IllegalStateException("Lost.", new java.io.EOFException())));
    }

    @Test
    void whatIsToldAlreadyIsNotSaidTwiceAndASentenceStaysAsItIs() {
        Throwable cause = new IOException("refused");
        assertEquals("It was refused.", Conductor.sentence(new IllegalStateException("It was refused.", cause)));
        assertEquals("java.lang.RuntimeException: java.io.IOException: refused", Conductor.sentence(new RuntimeException(cause)));
        assertEquals("FOO is 'huge'.", Conductor.sentence(new IllegalArgumentException("FOO is 'huge'.")));
    }

    @Test
    void severalLinesBecomeOne() {
        assertEquals("Two lines.", Conductor.sentence(new IllegalStateException("Two\n  lines.")));
    }
}
