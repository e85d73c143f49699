package uploadlab.rpc;

import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Status;

/**
 * The server's procedures, each call of which is recorded when it comes and when it is answered. Libraries call from
 * threads of their own, but one after the other: there is one client, which waits for each answer.
 */
final class Watched implements Procedures {
    private final Procedures procedures;
    private final Recorder recorder;
    private final CpuTimes cpu = new CpuTimes();
    private boolean recording;
    private long calls;
    private long expected;
    private long lastNs;

    Watched(Procedures procedures, Recorder recorder) {
        this.procedures = procedures;
        this.recorder = recorder;
    }

    /** Record from the next call on, as call 0; calls are expected from a time on System.nanoTime's clock on. */
    synchronized void begin(long expectedCalls, long startNs) {
        calls = 0;
        expected = expectedCalls;
        lastNs = startNs;
        recording = true;
    }

    /** Wait until as many calls as expected were answered, or none came for so long. */
    synchronized void awaitAll(double quietS) throws InterruptedException {
        while (calls < expected) {
            long leftMs = (lastNs - System.nanoTime()) / 1_000_000 + (long) (quietS * 1e3);
            if (leftMs <= 0) break;
            wait(leftMs);
        }
        cpu.now(null);
        recording = false;
    }

    /** What this process used for the calls; known once all were awaited. */
    CpuTimes cpu() {
        return cpu;
    }

    synchronized long calls() {
        return calls;
    }

    @Override
    public void nothing() {
        record(Kind.RECEIVED, Operation.VOID);
        procedures.nothing();
        record(Kind.REPLIED, Operation.VOID);
    }

    @Override
    public long singleLong(long value) {
        record(Kind.RECEIVED, Operation.SINGLE_LONG);
        long answer = procedures.singleLong(value);
        record(Kind.REPLIED, Operation.SINGLE_LONG);
        return answer;
    }

    @Override
    public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
        record(Kind.RECEIVED, Operation.EIGHT_LONGS);
        long answer = procedures.eightLongs(a, b, c, d, e, f, g, h);
        record(Kind.REPLIED, Operation.EIGHT_LONGS);
        return answer;
    }

    @Override
    public String text(String value) {
        Operation operation = Operation.ofText(value);
        record(Kind.RECEIVED, operation);
        String answer = procedures.text(value);
        record(Kind.REPLIED, operation);
        return answer;
    }

    @Override
    public Foo foo(Foo value) {
        record(Kind.RECEIVED, Operation.FOO);
        Foo answer = procedures.foo(value);
        record(Kind.REPLIED, Operation.FOO);
        return answer;
    }

    private synchronized void record(Kind kind, Operation operation) {
        if (!recording) return;
        cpu.now(operation);
        lastNs = recorder.record(kind, Status.GOOD, 0, operation.ordinal(), (int) calls, 0);
        if (kind == Kind.REPLIED && ++calls == expected) notifyAll();
    }
}
