package uploadlab.lean;

import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * One user who leaves a server three quarters of its time, until somebody says that the measured load may begin.
 *
 * <p>A runtime goes on with work of its own after a warm-up: Java compiles what it has counted, but drops a method from its
 * queue when for 50 ms nothing has called it, so no load at all would not do. So a single
 * stall, of 200 ms say, must not be followed by a pause of three times that.
 */
final class LightLoad extends Load {
    private static final int PAUSES = 3;

    /** What takes longer than so many usual uploads is a stall, and no reason to pause longer. */
    private static final int STALL = 4;

    /** Of the mean of what uploads took, the last has this share: an eighth. */
    private static final int OF_MEAN = 8;

    private final long mostNs;
    private final BooleanSupplier isTold;
    private long place;
    private long startNs;
    private long meanNs;
    private long nextNs;
    private long endNs;

    /** {@code mostNs}: it ends then by itself. */
    LightLoad(String label, User user, Uploads uploads, long mostNs, BooleanSupplier isTold) {
        super(label, List.of(user), uploads);
        this.mostNs = mostNs;
        this.isTold = isTold;
    }

    @Override
    void begin(long nowNs) {
        present = 1;
        nextNs = nowNs;
        endNs = nowNs + mostNs;
    }

    @Override
    void startDue(long nowNs, Queue<Request> starts) {
        if (nowNs < nextNs) {
            return;
        }
        nextNs = NEVER;
        if (nowNs >= endNs || isTold.getAsBoolean()) {
            present = 0;
        } else {
            startNs = nowNs;
            starts.add(new Request(users.get(0), uploads.at(place++), 0, 0));
        }
    }

    @Override
    long nextDueNs() {
        return nextNs;
    }

    @Override
    void ended(User user, long nowNs) {
        long tookNs = nowNs - startNs;
        meanNs = meanNs == 0 ? tookNs : meanNs;
        long usualNs = Math.min(tookNs, STALL * meanNs);
        meanNs += (usualNs - meanNs) / OF_MEAN;
        nextNs = nowNs + PAUSES * usualNs;
    }

    @Override
    void postpone(long byNs) {
        nextNs += nextNs == NEVER ? 0 : byNs;
        endNs += byNs;
    }

    @Override
    boolean isOver() {
        return present == 0;
    }
}
