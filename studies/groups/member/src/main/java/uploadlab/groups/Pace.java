package uploadlab.groups;

import java.util.ArrayList;
import java.util.List;

/**
 * How many messages each member sends in a round: a fixed number, or what takes about so long as it is found in the warm-up. Only
 * the first member's counts; it tells the others with the end of each round how many go into the next.
 */
final class Pace {
    /** So few go into the first rounds, as nobody knows yet how long they take. */
    private static final int FIRST = 100;

    /** In so many rounds, the later half of which is at most so much faster, Java compiles no more that matters. */
    private static final int SETTLED_ROUNDS = 6;

    private static final double SETTLED = 1.05;

    private record Round(long messages, long ns) {}

    private final double roundS;
    private final int most;
    private final List<Round> rounds = new ArrayList<>();

    /** A roundS of 0 makes all rounds of `most` messages. */
    Pace(double roundS, int most) {
        this.roundS = roundS;
        this.most = most;
    }

    /** Learn from a round. */
    void took(int messagesSent, long ns) {
        rounds.add(new Round(messagesSent, ns));
    }

    /**
     * The later half of the rounds counts, as Java still compiles in the earlier; and of it all alike: where some are held up, that is
     * what a round takes.
     */
    int messages() {
        if (roundS == 0) return most;
        List<Round> later = rounds.subList(rounds.size() / 2, rounds.size());
        double wanted = later.isEmpty() ? FIRST : perSecond(later) * roundS;
        return (int) Math.max(1, Math.min(most, wanted));
    }

    /** Return whether the last rounds got no faster any more. */
    boolean settled() {
        int end = rounds.size();
        if (end < SETTLED_ROUNDS) return false;
        int middle = end - SETTLED_ROUNDS / 2;
        return perSecond(rounds.subList(middle, end)) <= SETTLED * perSecond(rounds.subList(end - SETTLED_ROUNDS, middle));
    }

    private static double perSecond(List<Round> some) {
        return some.stream().mapToLong(Round::messages).sum() / (some.stream().mapToLong(Round::ns).sum() / 1e9);
    }
}
