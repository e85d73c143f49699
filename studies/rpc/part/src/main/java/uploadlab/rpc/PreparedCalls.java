package uploadlab.rpc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

import uploadlab.recorder.Settings;

/** What a run calls: the operations in their order, and the arguments of each, drawn before the first call. */
final class PreparedCalls {
    /** How many different arguments an operation is called with. */
    private static final int DIFFERENT = 128;

    private final int calls;
    private final List<Operation> order;
    private final Map<Operation, List<Prepared>> prepared = new EnumMap<>(Operation.class);

    /** A call with all that can be worked out of it before it is made. */
    record Prepared(Call call, Object expected, int argumentBytes, int answerBytes) {
        private Prepared sized(Stub by) {
            return new Prepared(call, expected, by.argumentBytes(call), by.answerBytes(call));
        }
    }

    PreparedCalls(Settings settings, int calls) {
        this.calls = calls;
        Calls drawn = new Calls(seed(settings), Calls.FooSize.of(settings));
        this.order = order(drawn, settings);
        for (Operation operation : Operation.ALL) prepared.put(operation, prepare(drawn, operation));
    }

    /** Each repeat of a campaign has arguments and an order of its own. */
    private static long seed(Settings settings) {
        return settings.whole("SEED") * 1_000_003 + settings.whole("REPEAT", 0);
    }

    private static List<Operation> order(Calls drawn, Settings settings) {
        String order = settings.oneOf("ORDER", "as_listed", "reversed", "drawn");
        List<Operation> operations = order.equals("drawn") ? drawn.order() : new ArrayList<>(Operation.ALL);
        operations.retainAll(Operation.called(settings));
        if (order.equals("reversed")) Collections.reverse(operations);
        return operations;
    }

    /** Sizes come later: working them out loads what the first call is to load. */
    private List<Prepared> prepare(Calls drawn, Operation operation) {
        List<Prepared> all = new ArrayList<>();
        for (int i = 0; i < different(); i++) {
            Call call = drawn.draw(operation);
            all.add(new Prepared(call, call.answeredBy(new Local()), 0, 0));
        }
        return all;
    }

    /** Work out how many bytes a system makes of each call. */
    void size(Stub by) {
        prepared.replaceAll((operation, all) -> all.stream().map(one -> one.sized(by)).toList());
    }

    List<Operation> order() {
        return order;
    }

    /** Return what an operation is called with for the nth time. */
    Prepared get(Operation operation, long nth) {
        List<Prepared> different = prepared.get(operation);
        return different.get((int) (nth % different.size()));
    }

    /** Return with how many different arguments each operation is called. */
    int different() {
        return Math.min(DIFFERENT, calls);
    }

    /** Return the mean of a size over the calls of an operation. */
    double meanBytes(Operation operation, ToIntFunction<Call> bytes) {
        int[] each = prepared.get(operation).stream().map(Prepared::call).mapToInt(bytes).toArray();
        return IntStream.range(0, calls).map(i -> each[i % each.length]).average().orElse(0);
    }
}
