package uploadlab.rpc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import uploadlab.recorder.Settings;

/** Draws the arguments of calls from a seed; strings are lower-case letters. */
final class Calls {
    /** How large foo is: always the same, or as the paper has it, up to 6 texts and 1 to 20 authors at random. */
    enum FooSize {
        SMALL,
        TYPICAL,
        LARGEST,
        DRAWN;

        static FooSize of(Settings settings) {
            return valueOf(settings.oneOf("FOO", "typical", "small", "largest", "drawn").toUpperCase(Locale.ROOT));
        }
    }

    private static final int MOST_CHARACTERS = 1000;

    private final SplittableRandom random;
    private final FooSize fooSize;

    Calls(long seed, FooSize fooSize) {
        this.random = new SplittableRandom(seed);
        this.fooSize = fooSize;
    }

    Call draw(Operation operation) {
        return new Call(operation, switch (operation) {
            case VOID -> null;
            case SINGLE_LONG -> random.nextLong();
            case EIGHT_LONGS -> random.longs(8).toArray();
            case FOO -> foo();
            default -> letters(operation.characters());
        });
    }

    /** Return the fifteen operations in a random order. */
    List<Operation> order() {
        List<Operation> order = new ArrayList<>(Operation.ALL);
        for (int last = order.size() - 1; last > 0; last--) {
            Collections.swap(order, last, random.nextInt(last + 1));
        }
        return order;
    }

    private Foo foo() {
        return switch (fooSize) {
            case SMALL -> foo(1, 10, 1);
            case TYPICAL -> foo(3, MOST_CHARACTERS / 2, 10);
            case LARGEST -> foo(6, MOST_CHARACTERS, 20);
            case DRAWN -> foo(random.nextInt(7), -1, 1 + random.nextInt(20));
        };
    }

    /** A number of characters below 0 stands for a drawn one. */
    private Foo foo(int texts, int characters, int authors) {
        List<String> body = IntStream.range(0, texts)
                .mapToObj(i -> letters(characters < 0 ? random.nextInt(MOST_CHARACTERS + 1) : characters))
                .toList();
        List<Foo.Author> by = IntStream.range(0, authors)
                .mapToObj(i -> new Foo.Author(random.nextLong(), letters(8), letters(12)))
                .toList();
        return new Foo(random.nextLong(), letters(30), body, by);
    }

    private String letters(int count) {
        StringBuilder text = new StringBuilder(count);
        for (int i = 0; i < count; i++) text.append((char) ('a' + random.nextInt(26)));
        return text.toString();
    }
}
