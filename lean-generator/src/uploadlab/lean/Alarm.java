package uploadlab.lean;

import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes a selector shortly before a time: by itself a selector waits whole milliseconds only. What is left of the time is
 * too short to sleep, as waking takes about as long.
 */
final class Alarm implements Runnable, AutoCloseable {
    private static final long WAKING_NS = 40_000;

    private final Selector selector;
    private final Thread thread;
    private volatile long atNs = Load.NEVER;
    private volatile boolean isClosed;

    Alarm(Selector selector) {
        this.selector = selector;
        thread = new Thread(this, "alarm");
        thread.setDaemon(true);
        thread.start();
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
            LockSupport.unpark(thread);
        }
        return true;
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        while (!isClosed) {
            long waitNs = atNs - System.nanoTime();
            if (atNs == Load.NEVER) {
                LockSupport.park(this);
            } else if (waitNs > 0) {
                LockSupport.parkNanos(this, waitNs);
            } else {
                ring();
            }
        }
    }

    private void ring() {
        atNs = Load.NEVER;
        selector.wakeup();
    }
}
