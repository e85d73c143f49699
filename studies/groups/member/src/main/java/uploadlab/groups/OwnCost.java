package uploadlab.groups;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;

/** What a member's own work costs for one delivery: checking and recording it, and its share in making a message. */
final class OwnCost {
    private static final int OPERATIONS = 50_000;
    private static final int TRIES = 10;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static volatile long wrong; // keeps the work from being optimised away

    private OwnCost() {}

    /**
     * Return nanoseconds of CPU a delivery, without a transport, once Java has compiled that: the least of several tries, as
     * others' work only adds. A member makes one message for so many deliveries as there are members, and records every so many-th.
     */
    static double ns(int bytes, int members, int stampEvery, Recorder recorder) {
        return DoubleStream.generate(() -> once(bytes, members, stampEvery, recorder)).limit(TRIES).min().getAsDouble();
    }

    private static double once(int bytes, int members, int stampEvery, Recorder recorder) {
        Tally[] tallies = Stream.generate(Tally::new).limit(members).toArray(Tally[]::new);
        int messages = OPERATIONS / members;
        Content content = new Content(messages, 0, bytes);
        long begin = THREADS.getCurrentThreadCpuTime(); // other members have the cores, too
        for (int seq = 0; seq < messages; seq++) {
            byte[] message = Message.filled(seq, 0, bytes);
            long sentNs = System.nanoTime();
            boolean recorded = content.recorded(seq, stampEvery);
            if (recorded) recorder.recordAt(sentNs, Kind.SENT, 0, 0, 0, seq, bytes);
            for (Tally tally : tallies) {
                long atNs = System.nanoTime();
                int status = Message.check(message, 0, bytes, seq, 0, bytes, false);
                tally.note(seq, status, atNs);
                if (recorded) recorder.recordAt(atNs, Kind.RECEIVED, status, 0, 0, seq, bytes);
            }
        }
        double ns = (double) (THREADS.getCurrentThreadCpuTime() - begin) / (messages * members);
        recorder.takeBack();
        wrong = Stream.of(tallies).mapToLong(tally -> tally.wrong).sum();
        return ns;
    }
}
