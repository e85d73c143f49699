package uploadlab.lean;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;

/** Users who each wait for their answer, think, and send the next file of the list that they share. */
final class ClosedLoad extends Load {
    private record Waiting(long untilNs, long number, User user, boolean isNew) {
        Waiting postponed(long byNs) {
            return new Waiting(untilNs + byNs, number, user, isNew);
        }
    }

    private final long[] left;
    private final long rampUpNs;
    private final long durationNs;
    private final long thinkNs;
    private final PriorityQueue<Waiting> waiting =
            new PriorityQueue<>(Comparator.comparingLong(Waiting::untilNs).thenComparingLong(Waiting::number));
    private long waits;
    private long place;
    private long endNs = NEVER;

    /** {@code loops} below 0, {@code durationNs} 0: no end. */
    ClosedLoad(String label, List<User> users, Uploads uploads, int loops, long rampUpNs, long durationNs, long thinkNs) {
        super(label, users, uploads);
        this.rampUpNs = rampUpNs;
        this.durationNs = durationNs;
        this.thinkNs = thinkNs;
        left = new long[users.size()];
        Arrays.fill(left, loops < 0 ? NEVER : loops);
    }

    @Override
    void begin(long nowNs) {
        endNs = durationNs > 0 ? nowNs + durationNs : NEVER;
        for (var user : users) {
            if (left[user.number] > 0) {
                await(nowNs + rampUpNs * user.number / users.size(), user, true);
            }
        }
    }

    /** What a user waits for ends with the load, as JMeter's pauses do. */
    private void await(long untilNs, User user, boolean isNew) {
        waiting.add(new Waiting(Math.min(untilNs, endNs), waits++, user, isNew));
    }

    @Override
    void startDue(long nowNs, Queue<Request> starts) {
        while (nextDueNs() <= nowNs) {
            var next = waiting.poll();
            var user = next.user;
            present += next.isNew ? 1 : 0;
            if (nowNs >= endNs) {
                leave(user);
            } else if (next.isNew && thinkNs > 0) {
                await(next.untilNs + thinkNs, user, false);
            } else {
                left[user.number]--;
                starts.add(new Request(user, uploads.at(place++), 0, 0));
            }
        }
    }

    @Override
    long nextDueNs() {
        return waiting.isEmpty() ? NEVER : waiting.peek().untilNs;
    }

    @Override
    void ended(User user, long nowNs) {
        if (left[user.number] > 0 && nowNs < endNs) {
            await(nowNs + thinkNs, user, false);
        } else {
            leave(user);
        }
    }

    /** As a thread of JMeter's does at its end; to a server with a thread for each connection it is a place for the next user. */
    private void leave(User user) {
        present--;
        user.close();
    }

    @Override
    void postpone(long byNs) {
        endNs += endNs == NEVER ? 0 : byNs;
        var later = waiting.stream().map(one -> one.postponed(byNs)).toList();
        waiting.clear();
        waiting.addAll(later);
    }

    @Override
    boolean isOver() {
        return present == 0 && waiting.isEmpty();
    }
}
