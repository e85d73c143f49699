package uploadlab.lean;

import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes a selector shortly before a time: by itself a selector waits whole milliseconds only. What is left of the time is
 * too short to sleep, as waking takes about as long.
 */
final class Alarm extends Thread implements AutoCloseable {
    private static final long WAKING_NS = 40_000;

    private final Selector selector;
    private volatile long atNs = Load.NEVER;

    Alarm(Selector selector) {
        super("alarm");
        this.selector = selector;
        setDaemon(true);
        start();
    }

    /** Sets it for a time; returns whether that is far enough ahead to sleep until then. */
    boolean isSetFor(long timeNs) {
        if (timeNs == Load.NEVER) {
            return true; // an earlier alarm may still come: it does no harm
        }
        long wakeNs = timeNs - WAKING_NS;
        if (wakeNs <= System.nanoTime()) {
            return false;
        }
        if (wakeNs != atNs) {
            atNs = wakeNs;
            LockSupport.unpark(this);
        }
        return true;
    }

    @Override
    public void close() {
        interrupt();
    }

    @Override
    public void run() {
        while (!isInterrupted()) {
            long waitNs = atNs - System.nanoTime();
            if (waitNs > 0) {
                LockSupport.parkNanos(this, waitNs);
            } else {
                atNs = Load.NEVER;
                selector.wakeup();
            }
        }
    }
}
