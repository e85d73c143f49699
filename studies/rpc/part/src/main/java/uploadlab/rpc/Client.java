package uploadlab.rpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

import uploadlab.recorder.Conductor;
import uploadlab.recorder.Events;
import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Settings;
import uploadlab.recorder.Status;

/** Makes the calls, one after the other on one connection, and holds every answer to the local procedure's. */
final class Client implements Conductor.Phases {
    private static final int OWN_CALLS = 100_000;

    /** How many different arguments an operation is called with; they are drawn before the first call. */
    private static final int DIFFERENT = 128;

    private static final long SECOND_NS = 1_000_000_000;
    private static final long MILLISECOND_NS = 1_000_000;

    private final RpcSystem system;
    private final Settings settings;
    private final Recorder recorder;
    private final Events events;
    /** The server itself, and where it is called: itself, or the relay that stands for the distance. */
    private final InetSocketAddress direct;

    private final InetSocketAddress server;
    private final Stub stub;
    private final long connectNs;
    private final boolean cold;
    private final boolean wholeMs;
    private final int calls;
    private final Map<Operation, List<Prepared>> prepared = new EnumMap<>(Operation.class);
    private final List<Operation> order;
    private final CpuTimes cpu = new CpuTimes();
    private boolean called;
    private long wrong;

    /** A call with all that can be worked out of it before it is made. */
    private record Prepared(Call call, Object expected, int argumentBytes, int answerBytes) {
        Prepared sized(Stub by) {
            return new Prepared(call, expected, by.argumentBytes(call), by.answerBytes(call));
        }
    }

    Client(RpcSystem system, Settings settings, Recorder recorder, Events events) throws IOException {
        this.system = system;
        this.settings = settings;
        this.recorder = recorder;
        this.events = events;
        this.direct = Part.address(settings.text("SERVER_ADDRESSES"));
        this.server = settings.oneOf("LINK", "loopback", "far").equals("far") && system.remote()
                ? new InetSocketAddress(settings.text("HOST"), (int) settings.whole("RELAY_PORT"))
                : direct;
        this.cold = settings.oneOf("JVM", "cold", "warm").equals("cold");
        this.wholeMs = settings.oneOf("CLOCK", "ns", "whole_ms").equals("whole_ms");
        this.calls = (int) settings.whole("CALLS");
        Calls drawn = new Calls(seed(settings), Calls.FooSize.named(settings.text("FOO", "typical")));
        this.order = order(drawn);
        long begin = System.nanoTime();
        this.stub = system.connect(server, settings);
        this.connectNs = System.nanoTime() - begin;
        for (Operation operation : Operation.ALL) prepared.put(operation, prepare(drawn, operation));
    }

    /** Each repeat of a campaign has arguments and an order of its own. */
    private static long seed(Settings settings) {
        return settings.whole("SEED") * 1_000_003 + settings.whole("REPEAT", 0);
    }

    private List<Operation> order(Calls drawn) {
        String order = settings.oneOf("ORDER", "as_listed", "reversed", "drawn");
        List<Operation> operations = order.equals("drawn") ? drawn.order() : new ArrayList<>(Operation.ALL);
        operations.retainAll(Operation.called(settings));
        if (order.equals("reversed")) Collections.reverse(operations);
        return operations;
    }

    /** Sizes come later: working them out loads what the first call is to load. */
    private List<Prepared> prepare(Calls drawn, Operation operation) {
        List<Prepared> all = new ArrayList<>();
        for (int i = 0; i < Math.min(DIFFERENT, calls); i++) {
            Call call = drawn.draw(operation);
            all.add(new Prepared(call, call.answeredBy(new Local()), 0, 0));
        }
        return all;
    }

    /** A cold client makes no call before it is measured. */
    @Override
    public void verify() throws IOException {
        if (cold && !called) return;
        if (!called) firstCalls();
        Set<Integer> before = connections();
        List<Call> edges = EdgeCalls.all();
        MessageDigest digest = sha256();
        List<String> failures = new ArrayList<>();
        for (Call call : edges) {
            Object answer = call.answeredBy(stub);
            digest.update(Canonical.bytes(answer));
            if (!call.isAnsweredBy(answer)) failures.add(call.toString());
        }
        String sum = HexFormat.of().formatHex(digest.digest());
        events.tell("verified", "messages", edges.size(), "sha256", sum, "failures", failures);
        if (!failures.isEmpty()) {
            throw new IllegalStateException("The server's answer differs from the local procedure's: " + failures.get(0));
        }
        Set<Integer> after = connections();
        events.tell("connections", "local_ports", List.copyOf(after), "same", before.equals(after));
        if (cold) events.tell("own_cost", "ns", ownCostNs());
    }

    private Set<Integer> connections() throws IOException {
        Set<Integer> ports = Connections.to(server.getPort());
        int expected = system.remote() ? 1 : 0;
        if (ports.size() != expected) {
            throw new IllegalStateException("The client has " + ports.size() + " connections; expected " + expected + ".");
        }
        return ports;
    }

    /** Time the first call of each operation in this process, with all that is loaded and agreed upon only once. */
    private void firstCalls() {
        called = true;
        List<String> labels = new ArrayList<>();
        List<Long> ns = new ArrayList<>();
        for (Operation operation : Operation.ALL) {
            Call call = prepared.get(operation).get(0).call();
            long begin = System.nanoTime();
            call.answeredBy(stub);
            ns.add(System.nanoTime() - begin);
            labels.add(operation.label());
        }
        events.tell("first_calls", "connect_ns", connectNs, "operations", labels, "ns", ns);
    }

    @Override
    public void warmUp() throws Exception {
        if (cold) return;
        prepared.replaceAll((operation, all) -> all.stream().map(one -> one.sized(stub)).toList());
        events.tell("own_cost", "ns", ownCostNs());
        Part.phase(events, "warm_up", () -> {
            if (server.equals(direct) || settings.oneOf("WARMUP_LINK", "same", "direct").equals("same")) {
                callUnmeasured(stub);
                return;
            }
            try (Stub past = system.connect(direct, settings)) {
                callUnmeasured(past);
            }
        });
    }

    private void callUnmeasured(Procedures by) {
        long rounds = settings.whole("WARMUP_CALLS");
        for (int round = 0; round < rounds; round++) {
            for (Operation operation : order) {
                List<Prepared> different = prepared.get(operation);
                different.get(round % different.size()).call().answeredBy(by);
            }
        }
    }

    @Override
    public void measure(long startNs) throws Exception {
        called = true;
        Garbage garbage = new Garbage();
        Part.sleepUntil(startNs);
        Part.phase(events, "measure", () -> callAll(startNs));
        long made = (long) calls * order.size();
        events.tell(
                "counters", "phase", "measure", "sent", made, "received", made, "wrong", wrong, "lost_records", recorder.lost(),
                "gc_ms", garbage.millisecondsSince(), "order", order.stream().map(Operation::label).toList());
        tellLevels();
    }

    /** Tell what a call of each operation cost this process, and how many bytes it sent and received, without framing. */
    private void tellLevels() {
        List<Operation> operations = cpu.operations();
        events.tell(
                "levels", "levels", operations.stream().map(Operation::label).toList(),
                "cpu_us_per_operation", cpu.usPerCall(calls),
                "sent_bytes_per_operation", operations.stream().map(of -> meanBytes(of, stub::argumentBytes)).toList(),
                "received_bytes_per_operation", operations.stream().map(of -> meanBytes(of, stub::answerBytes)).toList());
    }

    private double meanBytes(Operation operation, ToIntFunction<Call> bytes) {
        int[] each = prepared.get(operation).stream().map(Prepared::call).mapToInt(bytes).toArray();
        return IntStream.range(0, calls).map(i -> each[i % each.length]).average().orElse(0);
    }

    private void callAll(long startNs) {
        int seq = 0;
        long tellAt = startNs + SECOND_NS;
        for (Operation operation : order) {
            List<Prepared> different = prepared.get(operation);
            cpu.now(operation);
            for (int i = 0; i < calls; i++, seq++) {
                long at = call(recorder, stub, different.get(i % different.size()), seq);
                if (at >= tellAt) {
                    Conductor.progress(seq + 1, wrong);
                    tellAt += SECOND_NS;
                }
            }
        }
        cpu.now(null);
    }

    /** Make one call and record it; return when it was answered. */
    private long call(Recorder into, Procedures of, Prepared prepared, int seq) {
        Call call = prepared.call();
        int op = call.operation().ordinal();
        long begin = into.record(Kind.SENT, Status.GOOD, 0, op, seq, prepared.argumentBytes());
        Object answer = call.answeredBy(of);
        long at = System.nanoTime();
        boolean right = answer == null ? prepared.expected() == null : answer.equals(prepared.expected());
        if (!right) wrong++;
        into.recordAt(at, Kind.ANSWERED, right ? Status.GOOD : Status.WRONG_BYTES, 0, op, seq, prepared.answerBytes());
        if (wholeMs) {
            recordWholeMs(into, begin, Kind.WAITING, op, seq);
            recordWholeMs(into, at, Kind.RECEIVED, op, seq);
        }
        return at;
    }

    /** Record the time as the paper's clock showed it. */
    private static void recordWholeMs(Recorder into, long atNs, Kind kind, int op, int seq) {
        into.recordAt(atNs / MILLISECOND_NS * MILLISECOND_NS, kind, Status.GOOD, 0, op, seq, 0);
    }

    /** Return what the client itself needs for a call, in ns: stamps, records and the check, with the local procedure. */
    private double ownCostNs() throws IOException {
        Path file = Path.of(settings.text("RECORDS_FILE") + ".own-cost");
        Procedures local = new Local();
        try (Recorder scratch = Recorder.open(file, 4L * OWN_CALLS)) {
            long begin = System.nanoTime();
            for (int seq = 0; seq < OWN_CALLS; seq++) {
                List<Prepared> different = prepared.get(Operation.ALL.get(seq % Operation.ALL.size()));
                call(scratch, local, different.get(seq % different.size()), seq);
            }
            return (double) (System.nanoTime() - begin) / OWN_CALLS;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void close() {
        stub.close();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
