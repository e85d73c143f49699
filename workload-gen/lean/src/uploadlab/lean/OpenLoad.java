package uploadlab.lean;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** Files are sent when a schedule says, each by a free user; late where none is free. */
final class OpenLoad extends Load {
    private static final String HEADING = "start_ms,";
    private static final double LATEST_MS = 1e12; // 30 years: later ones would not fit the clock

    private final Queue<User> free;
    private final long[] dueNs;
    private long clockStartNs;
    private int next;

    /**
     * Reads the schedule.
     *
     * @throws UsageException where it is none, or a time is before that of the line above
     */
    OpenLoad(String label, List<User> users, Uploads uploads, Settings settings) {
        super(label, users, uploads);
        free = new ArrayDeque<>(users);
        present = users.size();
        var file = settings.path("schedule_csv");
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
            starts.add(new Request(free.remove(), uploads.at(next), clockStartNs + dueNs[next]));
            next++;
        }
    }

    @Override
    long nextDueNs() {
        return next < dueNs.length && !free.isEmpty() ? clockStartNs + dueNs[next] : NEVER;
    }

    @Override
    void ended(User user, long nowNs) {
        free.add(user);
    }

    @Override
    boolean isOver() {
        return next == dueNs.length && free.size() == users.size();
    }
}
