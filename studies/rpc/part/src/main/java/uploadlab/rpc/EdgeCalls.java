package uploadlab.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Values at which answers go wrong first. */
final class EdgeCalls {
    /** 2^53 + 1, the first whole number that a double cannot hold. */
    static final long BEYOND_DOUBLE = (1L << 53) + 1;

    /** An e and an accent of its own (NFD), which normalisation would join. */
    static final String DECOMPOSED = "cafe\u0301";

    private static final long[] LONGS = {
        0, 1, -1, 127, 128, -64, -65, 1L << 31, -(1L << 31) - 1, BEYOND_DOUBLE, -BEYOND_DOUBLE, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private static final String[] TEXTS = {
        "", "a", "\0", "line\r\nline", DECOMPOSED, "caf\u00e9", "\uFEFFmark", "\u6F22\u5B57", "\uD83D\uDE80 \uD834\uDD1E",
        "\u20AC".repeat(1024), "x".repeat(1 << 16)
    };

    private EdgeCalls() {}

    static List<Call> all() {
        List<Call> calls = new ArrayList<>();
        calls.add(new Call(Operation.VOID, null));
        for (long value : LONGS) calls.add(new Call(Operation.SINGLE_LONG, value));
        calls.add(new Call(Operation.EIGHT_LONGS, new long[8]));
        calls.add(new Call(Operation.EIGHT_LONGS, new long[] {1, 2, 4, 8, 16, 32, 64, BEYOND_DOUBLE}));
        calls.add(new Call(Operation.EIGHT_LONGS, new long[] {Long.MAX_VALUE, 1, 0, 0, 0, 0, 0, Long.MIN_VALUE}));
        for (String text : TEXTS) calls.add(new Call(Operation.ofText(text), text));
        foos().forEach(foo -> calls.add(new Call(Operation.FOO, foo)));
        return calls;
    }

    private static Stream<Foo> foos() {
        Foo none = new Foo(0, "", List.of(), List.of());
        Foo.Author same = new Foo.Author(7, "Ana", "Souza");
        Foo authors = new Foo(
                Long.MIN_VALUE, DECOMPOSED, List.of("", "b", "a", "b"),
                List.of(new Foo.Author(9, "Zo\u00eb", ""), same, same, new Foo.Author(Long.MAX_VALUE, "", "\u6F22")));
        Foo most = (Foo) new Calls(1, Calls.FooSize.LARGEST).draw(Operation.FOO).argument();
        return Stream.of(none, authors, most);
    }
}
