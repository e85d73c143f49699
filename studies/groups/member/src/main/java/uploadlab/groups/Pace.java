package uploadlab.groups;

/**
 * How many messages each member sends in a round: a fixed number, or what takes about so long as it is found in the warm-up. Only
 * the first member's counts; it tells the others with the end of each round how many go into the next.
 */
final class Pace {
    /** So few go into the first rounds, as nobody knows yet how long they take. */
    private static final int FIRST = 100;

    private final double roundS;
    private final int most;
    private long messages;
    private double seconds;

    /** A roundS of 0 makes all rounds of `most` messages. */
    Pace(double roundS, int most) {
        this.roundS = roundS;
        this.most = most;
    }

    /** Learn from a round. All count alike: where some are held up, that is what a round takes. */
    void took(int messagesSent, long ns) {
        messages += messagesSent;
        seconds += ns / 1e9;
    }

    int messages() {
        if (roundS == 0) return most;
        double wanted = seconds == 0 ? FIRST : messages / seconds * roundS;
        return (int) Math.max(1, Math.min(most, wanted));
    }
}
