package uploadlab.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import uploadlab.recorder.Laws;
import uploadlab.recorder.Settings;

/** The contract takes right answers and no others; arguments, orders and laws come from their seeds. */
class ContractTest {
    @Test
    void everyEdgeValueComesBackFromItsCanonicalBytes() throws IOException {
        for (Call call : EdgeCalls.all()) {
            Object answer = call.answeredBy(new Local());
            assertTrue(call.isAnsweredBy(Canonical.answer(call.operation(), Canonical.bytes(answer))), call.toString());
        }
    }

    @Test
    void theCanonicalFormIsTheOneThatIsDescribed() {
        assertEquals("", HexFormat.of().formatHex(Canonical.bytes(null)));
        assertEquals("fffffffffffffffe", HexFormat.of().formatHex(Canonical.bytes(-2L)));
        assertEquals("00000002c3a9", HexFormat.of().formatHex(Canonical.bytes("\u00e9")));
        Foo foo = new Foo(1, "t", List.of("b"), List.of(new Foo.Author(2, "n", "s")));
        String expected = "0000000000000001" + "0000000174" + "00000001" + "0000000162" + "00000001"
                + "0000000000000002" + "000000016e" + "0000000173";
        assertEquals(expected, HexFormat.of().formatHex(Canonical.bytes(foo)));
    }

    @Test
    void bytesThatAreTooFewOrTooManyAreRefused() {
        assertThrows(IOException.class, () -> Canonical.answer(Operation.VOID, new byte[1]));
        assertThrows(IOException.class, () -> Canonical.answer(Operation.SINGLE_LONG, new byte[7]));
        assertThrows(IOException.class, () -> Canonical.answer(Operation.STRING_1, new byte[] {0, 0, 0, 9, 'a'}));
        assertThrows(IOException.class, () -> Canonical.argument(Operation.EIGHT_LONGS, new byte[65]));
    }

    @ParameterizedTest
    @CsvSource({"long_as_double, singlelong", "text_normalised, string4", "authors_reordered, foo"})
    void aServerThatIsWrongInOneKindOfValueFailsThatKindOnly(String wrong, String operation) {
        Procedures procedures = WrongAnswers.by(new Settings(Map.of("WRONG_ANSWERS", wrong)));
        List<String> refused = EdgeCalls.all().stream()
                .filter(call -> !call.isAnsweredBy(call.answeredBy(procedures)))
                .map(call -> call.operation().label())
                .distinct()
                .toList();
        assertEquals(List.of(operation), refused);
    }

    @Test
    void drawnArgumentsHaveTheSizesOfTheirOperations() {
        Calls calls = new Calls(1, Calls.FooSize.DRAWN);
        for (Operation operation : Operation.ALL) {
            if (operation.characters() == 0) continue;
            String text = (String) calls.draw(operation).argument();
            assertEquals(operation.characters(), text.length());
            assertEquals(operation, Operation.ofText(text));
        }
        for (int i = 0; i < 200; i++) {
            Foo foo = (Foo) calls.draw(Operation.FOO).argument();
            assertTrue(foo.body().size() <= 6 && foo.body().stream().allMatch(text -> text.length() <= 1000));
            assertTrue(!foo.authors().isEmpty() && foo.authors().size() <= 20);
        }
    }

    @Test
    void aSeedGivesTheSameCallsAndTheSameOrderAndAnotherSeedOthers() {
        assertEquals(drawn(7), drawn(7));
        assertNotEquals(drawn(7), drawn(8));
        List<Operation> order = new Calls(7, Calls.FooSize.SMALL).order();
        assertEquals(order, new Calls(7, Calls.FooSize.SMALL).order());
        assertNotEquals(order, new Calls(8, Calls.FooSize.SMALL).order());
        assertEquals(new HashSet<>(Operation.ALL), new HashSet<>(order));
    }

    @ParameterizedTest
    @ValueSource(strings = {"constant", "exponential", "lognormal", "stalls"})
    void theTimesOfALawHaveItsMean(String law) {
        LongSupplier times = Laws.of(law, 1000, 1);
        double mean = LongStream.generate(times).limit(1_000_000).average().orElseThrow();
        assertEquals(1000, mean, 10);
    }

    private static List<Foo> drawn(long seed) {
        Calls calls = new Calls(seed, Calls.FooSize.DRAWN);
        return List.of((Foo) calls.draw(Operation.FOO).argument(), (Foo) calls.draw(Operation.FOO).argument());
    }
}
