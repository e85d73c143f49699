package uploadlab.lean;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Queue;
import java.util.function.IntFunction;

/**
 * Files are sent when a schedule says, each by a free user; late or not at all where all are busy.
 *
 * <p>Who was freed last sends next, and a user is made when all others are busy: there are as many connections as requests
 * were ever under way at a time.
 */
final class OpenLoad extends Load {
    private static final String HEADING = "start_ms,";
    private static final double LATEST_MS = 1e12; // 30 years: later ones would not fit the clock

    private final int mostUsers;
    /** What is due while all users are busy is left out; else it is sent late. */
    private final boolean leavesOut;
    private final IntFunction<User> newUser;
    private final Deque<User> free = new ArrayDeque<>();
    private final long[] dueNs;
    private long clockStartNs;
    private int next;
    /** Since when a due request has waited for a user. */
    private long fullSinceNs = NEVER;

    /**
     * Reads the schedule.
     *
     * @throws UsageException where it is none, or a time is before that of the line above
     */
    OpenLoad(
            String label, int mostUsers, boolean leavesOut, IntFunction<User> newUser, Uploads uploads, Path file) {
        super(label, new ArrayList<>(), uploads);
        this.mostUsers = mostUsers;
        this.leavesOut = leavesOut;
        this.newUser = newUser;
        var lines = Uploads.linesOf(file);
        if (lines.isEmpty() || !lines.get(0).startsWith(HEADING)) {
            throw new UsageException(file + ", line 1: expected the heading start_ms,session.");
        }
        dueNs = new long[lines.size() - 1];
        double earliestMs = 0;
        for (int i = 0; i < dueNs.length; i++) {
            var start = lines.get(i + 1).split(",", 2)[0];
            double startMs = numberOf(start);
            if (!(startMs >= earliestMs && startMs <= LATEST_MS)) {
                throw new UsageException(file + ", line " + (i + 2)
                        + ": expected milliseconds from 0 on, in ascending order, found " + start + ".");
            }
            dueNs[i] = Math.round(startMs * 1e6);
            earliestMs = startMs;
        }
    }

    /** Returns NaN where the text is no number. */
    private static double numberOf(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    @Override
    void begin(long nowNs) {
        clockStartNs = nowNs;
    }

    @Override
    void startDue(long nowNs, Queue<Request> starts) {
        while (nextDueNs() <= nowNs) {
            long due = clockStartNs + dueNs[next];
            var user = free.isEmpty() ? another() : free.pop();
            long fullNs = Math.max(0, user.freeSinceNs - Math.max(due, fullSinceNs));
            starts.add(new Request(user, uploads.at(next), due, fullNs));
            next++;
        }
        while (leavesOut && isDue(nowNs)) {
            next++;
        }
        boolean isWaiting = isDue(nowNs);
        fullSinceNs = isWaiting ? Math.min(fullSinceNs, nowNs) : NEVER;
    }

    private boolean isDue(long nowNs) {
        return next < dueNs.length && clockStartNs + dueNs[next] <= nowNs;
    }

    private User another() {
        var user = newUser.apply(users.size());
        users.add(user);
        present++;
        return user;
    }

    private boolean isFull() {
        return free.isEmpty() && users.size() == mostUsers;
    }

    @Override
    long nextDueNs() {
        return next < dueNs.length && !isFull() ? clockStartNs + dueNs[next] : NEVER;
    }

    @Override
    void ended(User user, long nowNs) {
        user.freeSinceNs = nowNs;
        free.push(user);
    }

    @Override
    void postpone(long byNs) {
        clockStartNs += byNs;
        fullSinceNs += fullSinceNs == NEVER ? 0 : byNs;
    }

    @Override
    boolean isOver() {
        return next == dueNs.length && free.size() == users.size();
    }
}
