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
        double seconds = later.stream().mapToLong(Round::ns).sum() / 1e9;
        double wanted = seconds == 0 ? FIRST : later.stream().mapToLong(Round::messages).sum() / seconds * roundS;
        return (int) Math.max(1, Math.min(most, wanted));
    }
}
