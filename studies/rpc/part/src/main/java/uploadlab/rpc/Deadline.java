package uploadlab.rpc;

import java.util.concurrent.atomic.AtomicLong;

import uploadlab.recorder.Conductor;

/**
 * Ends the process with a sentence where the server does not answer in time. Libraries have deadlines of their own, or none; a
 * call with one would cost more than one without (gRPC sends it along), and this costs each call of each system a store.
 */
final class Deadline {
    private static final long NOTHING = Long.MIN_VALUE;
    private static final long LOOK_MS = 500;

    private final AtomicLong begunNs = new AtomicLong(NOTHING);
    private final long seconds;

    Deadline(long seconds) {
        this.seconds = seconds;
        Thread watching = new Thread(() -> Conductor.run(this::watch), "deadline");
        watching.setDaemon(true);
        watching.start();
    }

    /** The server is asked for something, at a time on System.nanoTime's clock; what it was asked for before is answered. */
    void begin(long atNs) {
        begunNs.lazySet(atNs);
    }

    /** Everything is answered. */
    void end() {
        begunNs.set(NOTHING);
    }

    private void watch() throws InterruptedException {
        long begun;
        do {
            Thread.sleep(LOOK_MS);
            begun = begunNs.get();
        } while (begun == NOTHING || System.nanoTime() - begun < seconds * 1_000_000_000);
        throw new IllegalStateException("The server did not answer within " + seconds + " s.");
    }
}
