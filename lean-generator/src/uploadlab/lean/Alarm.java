package uploadlab.lean;

import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;

/** Wakes a selector at a time: by itself a selector waits whole milliseconds only. */
final class Alarm implements Runnable, AutoCloseable {
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

    /** Sets it for a time; returns whether that is still to come. */
    boolean isSetFor(long timeNs) {
        if (timeNs == Load.NEVER) {
            return true; // an earlier alarm may still come: it does no harm
        }
        if (timeNs <= System.nanoTime()) {
            return false;
        }
        if (timeNs != atNs) {
            atNs = timeNs;
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
