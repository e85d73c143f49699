package uploadlab.rpc.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.Test;
import uploadlab.rpc.Call;
import uploadlab.rpc.Foo;
import uploadlab.rpc.Operation;

/** Payloads are the bytes that protobuf's encoding prescribes (protobuf.dev, "Encoding"), worked out by hand. */
class PayloadTest {
    @Test
    void nothingTakesNoBytes() {
        assertArgument("", Operation.VOID, null);
        assertAnswer("", Operation.VOID, null);
    }

    @Test
    void aLongIsATagAndAVarintOfTwosComplementAndZeroIsLeftOut() {
        assertArgument("", Operation.SINGLE_LONG, 0L);
        assertArgument("0801", Operation.SINGLE_LONG, 1L);
        assertArgument("089601", Operation.SINGLE_LONG, 150L);
        assertArgument("08ffffffffffffffffff01", Operation.SINGLE_LONG, -1L);
        assertArgument("088180808080808010", Operation.SINGLE_LONG, (1L << 53) + 1);
        assertAnswer("0880808080808080808001", Operation.SINGLE_LONG, Long.MIN_VALUE);
    }

    @Test
    void eightLongsAreEightFieldsAndTheAnswerIsTheirSum() {
        long[] longs = {1, 2, 3, 4, 5, 6, 7, 8};
        assertArgument("08011002180320042805300638074008", Operation.EIGHT_LONGS, longs);
        assertAnswer("0824", Operation.EIGHT_LONGS, longs);
    }

    @Test
    void aStringIsATagALengthAndUtf8() {
        assertArgument("0a0161", Operation.STRING_1, "a");
        assertArgument("0a0663616665cc81", Operation.STRING_4, "cafe\u0301");
        assertArgument("0a8001" + "78".repeat(128), Operation.STRING_128, "x".repeat(128));
        assertAnswer("0a8008" + "78".repeat(1024), Operation.STRING_1024, "x".repeat(1024));
    }

    @Test
    void fooIsItsFieldsAndEachAuthorAMessageWithItsLength() {
        Foo foo = new Foo(1, "t", List.of("", "b"), List.of(new Foo.Author(2, "n", "s")));
        String bytes = "0801" + "120174" + "1a00" + "1a0162" + "2208" + "0802" + "12016e" + "1a0173";
        assertArgument(bytes, Operation.FOO, foo);
        assertAnswer(bytes, Operation.FOO, foo);
    }

    private static void assertArgument(String hex, Operation operation, Object argument) {
        assertEquals(hex, HexFormat.of().formatHex(Messages.argument(new Call(operation, argument)).toByteArray()));
    }

    private static void assertAnswer(String hex, Operation operation, Object argument) {
        assertEquals(hex, HexFormat.of().formatHex(Messages.answer(new Call(operation, argument)).toByteArray()));
    }
}
