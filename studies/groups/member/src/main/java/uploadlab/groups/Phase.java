package uploadlab.groups;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One sending of all to all, from each sender's begin to each sender's end, as one member sees it. */
final class Phase {
    private static final long STEP_MS = 50;

    private final Tally[] tallies;
    private final CountDownLatch ends;
    /** As the first member said: whether this was the last round of its kind, and how many messages each sends in the next. */
    volatile boolean last;
    volatile int next;
    int messages;
    long firstSentNs;

    Phase(int members) {
        tallies = IntStream.range(0, members).mapToObj(member -> new Tally()).toArray(Tally[]::new);
        ends = new CountDownLatch(members);
    }

    Tally of(int sender) {
        return tallies[sender];
    }

    void ended(int sender, int sent, boolean lastThere, int nextThere) {
        if (tallies[sender].sentThere >= 0) return;
        tallies[sender].sentThere = sent;
        if (sender == 0) {
            last = lastThere;
            next = nextThere;
        }
        ends.countDown();
    }

    /** Wait for every sender's end; return false where nothing arrived for so long before all had ended. */
    boolean await(double silenceS) throws InterruptedException {
        long seen = -1;
        long since = System.nanoTime();
        while (!ends.await(STEP_MS, TimeUnit.MILLISECONDS)) {
            long received = sum(tally -> tally.received); // a sign of life, not a count: other threads are at it
            if (received != seen) {
                seen = received;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > silenceS * 1e9) {
                return false;
            }
        }
        return true;
    }

    long sum(ToLongFunction<Tally> figure) {
        return Stream.of(tallies).mapToLong(figure).sum();
    }

    /** Return how many messages did not come; of a sender that did not end, so many as this member sent. */
    long lost() {
        return sum(tally -> {
            if (tally.sentThere < 0) tally.sentThere = messages;
            return tally.lost();
        });
    }

    long firstReceivedNs() {
        return Stream.of(tallies).filter(tally -> tally.received > 0).mapToLong(tally -> tally.firstNs).min().orElse(0);
    }

    long lastReceivedNs() {
        return Stream.of(tallies).mapToLong(tally -> tally.lastNs).max().orElse(0);
    }

    /** Name the senders that did not end. */
    String silent() {
        return IntStream.range(0, tallies.length)
                .filter(sender -> tallies[sender].sentThere < 0)
                .mapToObj(sender -> "member " + sender)
                .reduce((one, other) -> one + ", " + other)
                .orElse("nobody");
    }
}
