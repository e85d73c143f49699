package uploadlab.rpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

import uploadlab.recorder.Conductor;
import uploadlab.recorder.Events;
import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Settings;
import uploadlab.recorder.Status;
import uploadlab.rpc.PreparedCalls.Prepared;

/** Makes the calls, one after the other on one connection, and holds every answer to the local procedure's. */
final class Client implements Conductor.Phases {
    private static final int OWN_CALLS = 100_000;
    private static final long SECOND_NS = 1_000_000_000;
    private static final long MILLISECOND_NS = 1_000_000;

    /** How long bytes are counted at most: over a real distance thousands of calls would take minutes. */
    private static final long COUNTING_NS = 20 * SECOND_NS;

    private final RpcSystem system;
    private final Settings settings;
    private final Recorder recorder;
    private final Events events;
    /** The server itself, and where it is called: itself, or the relay that stands for the distance. */
    private final InetSocketAddress direct;

    private final InetSocketAddress server;
    private final boolean cold;
    private final boolean wholeMs;
    private final int calls;
    private final PreparedCalls prepared;
    private final Deadline deadline;
    private final Stub stub;
    private final CpuTimes cpu = new CpuTimes();
    private boolean called;
    private boolean measured;
    private long wrong;

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
        this.prepared = new PreparedCalls(settings, calls);
        this.deadline = new Deadline(settings.whole("ANSWER_S", 30));
        long begin = System.nanoTime();
        deadline.begin(begin);
        this.stub = system.connect(server, settings);
        if (system.remote()) events.tell("connected", "ns", System.nanoTime() - begin);
        deadline.end();
    }

    /** A cold client makes no call before it is measured; the bytes on the wire are counted when nothing is measured any more. */
    @Override
    public void verify() throws Exception {
        if (cold && !called) return;
        if (!called) firstCalls();
        Set<Integer> before = connections();
        List<Call> edges = EdgeCalls.all();
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        List<String> failures = new ArrayList<>();
        for (Call call : edges) {
            Object answer = answer(call, stub);
            digest.update(Canonical.bytes(answer));
            if (!call.isAnsweredBy(answer)) failures.add(call.toString());
        }
        deadline.end();
        String sum = HexFormat.of().formatHex(digest.digest());
        events.tell("verified", "messages", edges.size(), "sha256", sum, "failures", failures);
        if (!failures.isEmpty()) {
            throw new IllegalStateException("The server's answer differs from the local procedure's: " + failures.get(0));
        }
        Set<Integer> after = connections();
        events.tell("connections", "local_ports", List.copyOf(after), "same", before.equals(after));
        if (cold) events.tell("own_cost", "ns", ownCostNs());
        if (measured && system.remote()) tellWireBytes();
    }

    /**
     * Tell how many bytes a call of each operation puts on the connection in each direction, with all framing. Counted are calls
     * made for it, with the measured ones' arguments, over a connection of its own and past the relay of `far`: no measured call
     * passes a counter. What a connection carries only once, like a handshake or headers that are then referred to, comes before.
     */
    private void tellWireBytes() throws IOException {
        List<Operation> operations = prepared.order();
        Map<Operation, WireCounter.Bytes> counted = new EnumMap<>(Operation.class);
        int rounds = 0;
        deadline.begin(System.nanoTime());
        try (WireCounter wire = new WireCounter(direct);
                Stub through = system.connect(wire.address(), settings)) {
            for (Operation operation : operations) answer(prepared.get(operation, 0).call(), through);
            for (long until = System.nanoTime() + COUNTING_NS; rounds < prepared.different(); rounds++) {
                if (rounds > 0 && System.nanoTime() > until) break;
                for (Operation operation : operations) {
                    Call call = prepared.get(operation, rounds).call();
                    counted.merge(operation, wire.of(() -> answer(call, through)), WireCounter.Bytes::plus);
                }
            }
        }
        deadline.end();
        double made = rounds;
        events.tell(
                "levels", "levels", operations.stream().map(Operation::label).toList(), "calls", rounds,
                "wire_sent_bytes_per_operation", operations.stream().map(of -> counted.get(of).sent() / made).toList(),
                "wire_received_bytes_per_operation", operations.stream().map(of -> counted.get(of).received() / made).toList());
    }

    private Object answer(Call call, Procedures by) {
        deadline.begin(System.nanoTime());
        return call.answeredBy(by);
    }

    private Set<Integer> connections() throws IOException {
        Set<Integer> ports = Connections.to(server.getPort());
        int expected = system.remote() ? 1 : 0;
        if (ports.size() != expected) {
            throw new IllegalStateException("The client has " + ports.size() + " connections; expected " + expected + ".");
        }
        return ports;
    }

    /** Time the first call of each operation in this process, with all that is loaded only once; the connection is there. */
    private void firstCalls() {
        called = true;
        List<String> labels = new ArrayList<>();
        List<Long> ns = new ArrayList<>();
        for (Operation operation : Operation.ALL) {
            Call call = prepared.get(operation, 0).call();
            long begin = System.nanoTime();
            answer(call, stub);
            ns.add(System.nanoTime() - begin);
            labels.add(operation.label());
        }
        events.tell("first_calls", "operations", labels, "ns", ns);
    }

    @Override
    public void warmUp() throws Exception {
        if (cold) return;
        prepared.size(stub);
        events.tell("own_cost", "ns", ownCostNs());
        Part.phase(events, "warm_up", () -> {
            if (server.equals(direct) || settings.oneOf("WARMUP_LINK", "same", "direct").equals("same")) {
                callUnmeasured(stub);
                return;
            }
            deadline.begin(System.nanoTime());
            try (Stub past = system.connect(direct, settings)) {
                callUnmeasured(past);
            }
        });
        deadline.end();
    }

    private void callUnmeasured(Procedures by) {
        long rounds = settings.whole("WARMUP_CALLS");
        for (long round = 0; round < rounds; round++) {
            for (Operation operation : prepared.order()) answer(prepared.get(operation, round).call(), by);
        }
    }

    @Override
    public void measure(long startNs) throws Exception {
        called = true;
        long garbageMs = Part.garbageMs();
        Part.sleepUntil(startNs);
        Part.phase(events, "measure", () -> callAll(startNs));
        deadline.end();
        long made = (long) calls * prepared.order().size();
        events.tell(
                "counters", "phase", "measure", "sent", made, "received", made, "wrong", wrong, "lost_records", recorder.lost(),
                "gc_ms", Part.garbageMs() - garbageMs, "order", prepared.order().stream().map(Operation::label).toList());
        tellLevels();
        measured = true;
    }

    /** Tell what a call of each operation cost this process, and how many bytes it sent and received, without framing. */
    private void tellLevels() {
        List<Operation> operations = cpu.operations();
        events.tell(
                "levels", "levels", operations.stream().map(Operation::label).toList(),
                "cpu_us_per_operation", cpu.usPerCall(calls),
                "sent_bytes_per_operation", operations.stream().map(of -> prepared.meanBytes(of, stub::argumentBytes)).toList(),
                "received_bytes_per_operation", operations.stream().map(of -> prepared.meanBytes(of, stub::answerBytes)).toList());
    }

    private void callAll(long startNs) {
        int seq = 0;
        long tellAt = startNs + SECOND_NS;
        for (Operation operation : prepared.order()) {
            cpu.now(operation);
            for (int i = 0; i < calls; i++, seq++) {
                long at = call(recorder, stub, prepared.get(operation, i), seq);
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
        deadline.begin(begin);
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
                call(scratch, local, prepared.get(Operation.ALL.get(seq % Operation.ALL.size()), seq), seq);
            }
            return (double) (System.nanoTime() - begin) / OWN_CALLS;
        } finally {
            Files.deleteIfExists(file);
            deadline.end();
        }
    }

    @Override
    public void close() {
        stub.close();
    }
}
