package uploadlab.groups;

import java.util.stream.DoubleStream;
import uploadlab.recorder.Recorder;

/** What a member's own work costs for one message: filling it, recording it, checking it. */
final class OwnCost {
    private static final int OPERATIONS = 50_000;
    private static final int TRIES = 10;
    private static volatile int wrong;

    private OwnCost() {}

    /**
     * Return nanoseconds a message, sent and received without a transport, once Java has compiled that: the least of several
     * tries, as others' work only adds. The recorder's lock counts, not its store.
     */
    static double ns(int bytes, Recorder recorder) {
        return DoubleStream.generate(() -> once(bytes, recorder)).limit(TRIES).min().getAsDouble();
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
