package uploadlab.groups;

import java.util.BitSet;

/** What one member saw of one sender in one phase. */
final class Tally {
    private final BitSet seen = new BitSet();
    int next;
    long received;
    long different;
    long duplicated;
    long outOfOrder;
    long wrong;
    long sentThere = -1; // unknown before the sender's end
    long firstNs;
    long lastNs;

    void note(int seq, int status, long atNs) {
        if (received++ == 0) firstNs = atNs;
        lastNs = atNs;
        if (status != 0) {
            wrong++;
            next++;
            return;
        }
        if (seen.get(seq)) {
            duplicated++;
            return;
        }
        seen.set(seq);
        different++;
        if (seq < next) {
            outOfOrder++;
        } else {
            next = seq + 1;
        }
    }

    long lost() {
        return Math.max(0, sentThere - different - wrong);
    }
}
