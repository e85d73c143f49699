package uploadlab.groups;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.ToLongFunction;
import uploadlab.recorder.Conductor;
import uploadlab.recorder.Events;
import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Settings;

/** One member of the group: sends to all and receives from all, itself too, in phases that all go through together. */
final class Member implements Conductor.Phases {
    private static final long STEP_MS = 20;

    private final Place place;
    private final Channel channel;
    private final Recorder recorder;
    private final Events events;
    private final Inbox inbox;
    private final int messageBytes;
    private final int rounds;
    private final Pace pace;
    private final int stampEvery;
    private final int warmupRounds;
    private final double warmupS;
    private final double warmupMostS;
    private final double drainS;
    private final double joinS;
    private volatile int view;
    private volatile boolean severed;
    private int phases;
    private int roundMessages;

    Member(Settings settings, Channel channel, Recorder recorder, Events events) {
        this.channel = channel;
        this.recorder = recorder;
        this.events = events;
        place = new Place(settings);
        messageBytes = bytes(settings);
        rounds = (int) settings.whole("ROUNDS", 1);
        pace = new Pace(settings.real("ROUND_S", 0), (int) settings.whole("MESSAGES"));
        roundMessages = pace.messages();
        stampEvery = (int) settings.whole("STAMP_EVERY", 1);
        warmupRounds = (int) settings.whole("WARMUP_ROUNDS", 0);
        warmupS = settings.real("WARMUP_S", 0);
        warmupMostS = settings.real("WARMUP_MOST_S", 0);
        drainS = settings.real("DRAIN_S", 10);
        joinS = settings.real("JOIN_S", 30);
        inbox = new Inbox(place.count, messageBytes, stampEvery, recorder) {
            @Override
            public void viewed(int members, boolean merged) {
                events.tell("view", "members", members, "merged", merged);
                severed |= merged;
                view = members;
            }
        };
    }

    private static int bytes(Settings settings) {
        long bytes = settings.whole("MESSAGE_BYTES");
        if (bytes >= 0 && bytes <= Message.MOST_BYTES && bytes != Message.CONTROL_BYTES) return (int) bytes;
        throw new IllegalArgumentException(
                "MESSAGE_BYTES is '" + bytes + "'; expected 0 to " + Message.MOST_BYTES + ", but not "
                        + Message.CONTROL_BYTES + ", which is a phase's end.");
    }

    /** Join; IllegalStateException where the members do not become one group in time. */
    void join() throws Exception {
        try {
            channel.prepare(place);
            channel.open(place, inbox);
        } catch (Exception error) {
            throw new IllegalStateException(
                    place.host + ":" + place.port + ": no group can be joined over " + place.transport, error);
        }
        awaitView(place.index + 1);
    }

    private void awaitView(int members) throws InterruptedException {
        long until = System.nanoTime() + (long) (joinS * 1e9);
        while (view < members || severed) {
            if (severed) {
                throw new IllegalStateException("The members formed several groups, which merged later; expected one from the start.");
            }
            if (System.nanoTime() > until) {
                throw new IllegalStateException(
                        "Member " + place.index + " sees a group of " + view + " after " + joinS + " s; expected " + members
                                + (place.overUdp() ? ". Does this host pass multicast on?" : "."));
            }
            Thread.sleep(STEP_MS);
        }
    }

    @Override
    public void verify() throws Exception {
        awaitView(place.count);
        Content content = Content.ofEverySize();
        int number = phases++;
        Phase phase = inbox.phase(number);
        send(number, phase, content, () -> true, 0);
        if (!phase.await(drainS)) {
            throw new IllegalStateException("Nothing arrived for " + drainS + " s, and no end from " + phase.silent() + ".");
        }
        long failures = phase.sum(tally -> tally.wrong + tally.duplicated + tally.outOfOrder) + phase.lost();
        events.tell("verified", "messages", phase.sum(tally -> tally.different), "failures", failures);
        if (failures > 0) {
            throw new IllegalStateException(
                    failures + " of " + place.count * content.count()
                            + " messages were lost, or came twice, out of order, or with other bytes than were sent.");
        }
    }

    @Override
    public void warmUp() throws Exception {
        long beginNs = System.nanoTime();
        if (warmupRounds > 0) {
            load("warm_up", done -> done >= warmupRounds && isWarm((System.nanoTime() - beginNs) / 1e9), false);
        }
        events.tell("own_cost", "ns", OwnCost.ns(messageBytes, place.count, stampEvery, recorder));
    }

    private boolean isWarm(double afterS) {
        return afterS >= warmupS && (afterS >= warmupMostS || pace.settled());
    }

    @Override
    public void measure(long startNs) throws Exception {
        while (System.nanoTime() < startNs) TimeUnit.NANOSECONDS.sleep(Math.max(1, startNs - System.nanoTime()));
        load("measure", done -> done == rounds, true);
    }

    /**
     * Send in rounds until enough are done. A warm-up records too, and takes it back, so that Java has compiled for the measured
     * rounds what they run.
     */
    private void load(String name, IntPredicate enough, boolean measured) throws Exception {
        List<Phase> done = new ArrayList<>();
        ScheduledExecutorService teller = Executors.newSingleThreadScheduledExecutor();
        if (measured) teller.scheduleAtFixedRate(() -> tellProgress(done), 1, 1, TimeUnit.SECONDS);
        events.tell("phase", "name", name, "edge", "begin");
        long errorsBefore = UdpErrors.soFar();
        Phase phase;
        int round = 0;
        do {
            int number = phases++;
            phase = inbox.phase(number);
            synchronized (done) {
                done.add(phase);
            }
            int made = round + 1;
            Content content = new Content(roundMessages, measured ? round * roundMessages : 0, messageBytes);
            send(number, phase, content, () -> enough.test(made), measured ? roundMessages : pace.messages());
            if (!phase.await(drainS)) break; // a member is gone, or its messages are: another round would wait as long
            if (!measured) {
                recorder.takeBack();
                pace.took(roundMessages, phase.lastReceivedNs() - phase.firstSentNs);
                roundMessages = phase.next;
            }
            tellRound(name, round++, phase);
        } while (!phase.last);
        events.tell("phase", "name", name, "edge", "end");
        teller.shutdownNow();
        tellCounters(name, done, UdpErrors.soFar() - errorsBefore);
    }

    private void tellProgress(List<Phase> done) {
        synchronized (done) {
            Conductor.progress(sum(done, tally -> tally.received), sum(done, tally -> tally.wrong));
        }
    }

    private void tellRound(String name, int round, Phase phase) {
        events.tell(
                "round", "phase", name, "round", round, "first_sent_ns", phase.firstSentNs,
                "first_received_ns", phase.firstReceivedNs(), "last_received_ns", phase.lastReceivedNs(), "received",
                phase.sum(tally -> tally.received), "received_own", phase.of(place.index).received);
    }

    private void tellCounters(String name, List<Phase> done, long udpErrors) {
        long sent = done.stream().mapToLong(phase -> phase.messages).sum();
        events.tell(
                "counters", "phase", name, "sent", sent, "received", sum(done, tally -> tally.received), "different",
                sum(done, tally -> tally.different), "duplicated", sum(done, tally -> tally.duplicated), "out_of_order",
                sum(done, tally -> tally.outOfOrder), "wrong", sum(done, tally -> tally.wrong), "lost",
                done.stream().mapToLong(Phase::lost).sum(), "sent_bytes",
                sent * channel.handedBytes(messageBytes), "udp_receive_errors", udpErrors, "lost_records", recorder.lost());
    }

    private static long sum(List<Phase> done, ToLongFunction<Tally> figure) {
        return done.stream().mapToLong(phase -> phase.sum(figure)).sum();
    }

    private void send(int number, Phase phase, Content content, BooleanSupplier last, int next) throws Exception {
        phase.messages = content.count();
        channel.send(Message.begin(number, place.index, content));
        phase.firstSentNs = System.nanoTime();
        for (int seq = 0; seq < content.count(); seq++) {
            byte[] message = Message.filled(seq, place.index, content.bytes(seq));
            long sentNs = System.nanoTime();
            if (content.recorded(seq, stampEvery)) {
                recorder.recordAt(sentNs, Kind.SENT, 0, place.index, 0, content.from() + seq, message.length);
            }
            channel.send(message);
        }
        channel.send(Message.end(last.getAsBoolean(), number, place.index, next));
    }

    @Override
    public void close() {
        channel.close();
    }
}
