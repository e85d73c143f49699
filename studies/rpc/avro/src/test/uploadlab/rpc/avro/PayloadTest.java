package uploadlab.rpc.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.Test;
import uploadlab.rpc.Call;
import uploadlab.rpc.Foo;
import uploadlab.rpc.Operation;

/** Payloads are the bytes that Avro's specification prescribes ("Binary Encoding"), worked out by hand. */
class PayloadTest {
    @Test
    void nothingTakesNoBytes() {
        assertArgument("", Operation.VOID, null);
        assertAnswer("", Operation.VOID, null);
    }

    @Test
    void aLongIsAZigZagVarint() {
        assertArgument("00", Operation.SINGLE_LONG, 0L);
        assertArgument("02", Operation.SINGLE_LONG, 1L);
        assertArgument("01", Operation.SINGLE_LONG, -1L);
        assertArgument("8001", Operation.SINGLE_LONG, 64L);
        assertArgument("8280808080808020", Operation.SINGLE_LONG, (1L << 53) + 1);
        assertAnswer("ffffffffffffffffff01", Operation.SINGLE_LONG, Long.MIN_VALUE);
    }

    @Test
    void eightLongsAreEightFieldsAndTheAnswerIsTheirSum() {
        long[] longs = {1, 2, 3, 4, 5, 6, 7, 8};
        assertArgument("020406080a0c0e10", Operation.EIGHT_LONGS, longs);
        assertAnswer("48", Operation.EIGHT_LONGS, longs);
    }

    @Test
    void aStringIsALengthAndUtf8() {
        assertArgument("0261", Operation.STRING_1, "a");
        assertArgument("0c63616665cc81", Operation.STRING_4, "cafe\u0301");
        assertArgument("8001" + "78".repeat(64), Operation.STRING_64, "x".repeat(64));
        assertAnswer("8010" + "78".repeat(1024), Operation.STRING_1024, "x".repeat(1024));
    }

    @Test
    void fooIsItsFieldsAndEachListABlockThatZeroEnds() {
        Foo foo = new Foo(1, "t", List.of("", "b"), List.of(new Foo.Author(2, "n", "s")));
        String bytes = "02" + "0274" + "04" + "00" + "0262" + "00" + "02" + "04" + "026e" + "0273" + "00";
        assertArgument(bytes, Operation.FOO, foo);
        assertAnswer(bytes, Operation.FOO, foo);
    }

    private static void assertArgument(String hex, Operation operation, Object argument) {
        assertEquals(hex, HexFormat.of().formatHex(Values.argument(new Call(operation, argument))));
    }

    private static void assertAnswer(String hex, Operation operation, Object argument) {
        assertEquals(hex, HexFormat.of().formatHex(Values.answer(new Call(operation, argument))));
    }
}
