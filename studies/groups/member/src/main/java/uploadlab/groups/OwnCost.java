package uploadlab.groups;

import uploadlab.recorder.Recorder;

/** What a member's own work costs for one message: filling it, recording it, checking it. */
final class OwnCost {
    private static final int OPERATIONS = 100_000;
    private static volatile int wrong;

    private OwnCost() {}

    /**
     * Return nanoseconds a message, sent and received without a transport, once Java has compiled that. The recorder's lock
     * counts, not its store.
     */
    static double ns(int bytes, Recorder recorder) {
        once(bytes, recorder);
        return once(bytes, recorder);
    }

    private static double once(int bytes, Recorder recorder) {
        Tally tally = new Tally();
        long begin = System.nanoTime();
        for (int seq = 0; seq < OPERATIONS; seq++) {
            byte[] message = Message.filled(seq, 0, bytes);
            long atNs = System.nanoTime();
            int status = Message.check(message, 0, bytes, seq, 0, bytes, false);
            synchronized (recorder) {
                tally.note(seq, status, atNs);
            }
        }
        wrong = (int) tally.wrong;
        return (double) (System.nanoTime() - begin) / OPERATIONS;
    }
}
