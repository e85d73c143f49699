package uploadlab.groups;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import uploadlab.recorder.Kind;
import uploadlab.recorder.Recorder;
import uploadlab.recorder.Status;

/** Takes what arrives: finds the phase of each message, checks it, records it, counts it. */
abstract class Inbox implements Channel.Listener {
    private static final int WHOLE_EVERY = 1000;

    private static final class Stream {
        private Phase phase;
        private Content content;
    }

    private final int members;
    private final int messageBytes;
    private final int stampEvery;
    private final Recorder recorder;
    private final Stream[] streams;
    private final Map<Integer, Phase> phases = new ConcurrentHashMap<>();

    Inbox(int members, int messageBytes, int stampEvery, Recorder recorder) {
        this.members = members;
        this.messageBytes = messageBytes;
        this.stampEvery = stampEvery;
        this.recorder = recorder;
        streams = new Stream[members];
        for (int sender = 0; sender < members; sender++) streams[sender] = new Stream();
    }

    Phase phase(int number) {
        return phases.computeIfAbsent(number, any -> new Phase(members));
    }

    @Override
    public void delivered(int sender, byte[] buffer, int offset, int length) {
        long atNs = System.nanoTime();
        if (sender >= members) return;
        Stream stream = streams[sender];
        synchronized (stream) { // of one sender at a time; the lock is free but where a channel breaks that
            Message.Control control = Message.controlOf(buffer, offset, length);
            switch (control) {
                case BEGIN -> begin(stream, buffer, offset, length);
                case END, LAST_END -> end(stream, sender, control, Message.nextOf(buffer, offset));
                default -> take(stream, sender, atNs, buffer, offset, length);
            }
        }
    }

    private void begin(Stream stream, byte[] buffer, int offset, int length) {
        stream.phase = phase(Message.seqOf(buffer, offset, length, 0));
        stream.content = Message.contentOf(buffer, offset, messageBytes);
    }

    private static void end(Stream stream, int sender, Message.Control control, int next) {
        boolean last = control == Message.Control.LAST_END;
        if (stream.phase != null) stream.phase.ended(sender, stream.content.count(), last, next);
        stream.phase = null;
    }

    private void take(Stream stream, int sender, long atNs, byte[] buffer, int offset, int length) {
        if (stream.phase == null) return; // behind the end of a phase: already counted as lost, or double
        Tally tally = stream.phase.of(sender);
        int seq = Message.seqOf(buffer, offset, length, tally.next);
        int status = Status.WRONG_BYTES;
        if (seq >= 0 && seq < stream.content.count()) {
            boolean whole = stream.content.compareWhole() || seq % WHOLE_EVERY == 0;
            status = Message.check(buffer, offset, length, seq, sender, stream.content.bytes(seq), whole);
        } else {
            seq = tally.next;
        }
        tally.note(seq, status, atNs);
        if (stream.content.recorded(seq, stampEvery)) {
            recorder.recordAt(atNs, Kind.RECEIVED, status, sender, 0, stream.content.from() + seq, length);
        }
    }
}
