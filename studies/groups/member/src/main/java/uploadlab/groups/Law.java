package uploadlab.groups;

import java.util.function.LongSupplier;
import uploadlab.recorder.Laws;
import uploadlab.recorder.Settings;

/**
 * A group that is not there: each message sent is delivered at once, its own and, as if the others had sent the same at the same
 * time, theirs. As `known` it waits before each as a law says, and every KNOWN_EVERY-th message of the last sender suffers
 * KNOWN_FAULT.
 */
final class Law implements Channel {
    private static final long SPIN_NS = 200_000;

    private final LongSupplier delaysNs;
    private final String fault;
    private final long every;
    private Place place;
    private Listener listener;
    private byte[] held;
    private long number;
    private long dueNs;
    private boolean begun;

    private Law(LongSupplier delaysNs, String fault, long every) {
        this.delaysNs = delaysNs;
        this.fault = fault;
        this.every = every;
    }

    /** A transport that does nothing. */
    static Law nothing() {
        return new Law(null, "none", 1);
    }

    static Law known(Settings settings) {
        long seed = settings.whole("SEED", 1) * 1_000_003 + settings.whole("INDEX", 0);
        return new Law(
                Laws.of(settings, "KNOWN_LAW", 1e3 * settings.real("KNOWN_MEAN_US", 100), seed),
                settings.oneOf("KNOWN_FAULT", "none", "drop", "double", "swap", "corrupt", "corrupt_middle"),
                settings.whole("KNOWN_EVERY", 10_000));
    }

    @Override
    public void open(Place to, Listener with) {
        place = to;
        listener = with;
        for (int members = place.index + 1; members <= place.count; members++) listener.viewed(members, false);
    }

    @Override
    public void send(byte[] buffer) {
        boolean control = Message.controlOf(buffer, 0, buffer.length) != Message.Control.NONE;
        if (control) {
            deliverHeld(place.count - 1);
            number = 0; // counted anew in each phase, of which nothing goes into the next
            begun = false;
        } else {
            pass();
        }
        for (int sender = 0; sender < place.count; sender++) {
            byte[] message = sender == place.index ? buffer : Message.asSentBy(buffer, sender);
            if (control || sender < place.count - 1) {
                listener.delivered(sender, message, 0, message.length);
            } else {
                deliverWithFault(sender, message);
            }
        }
    }

    private void pass() {
        if (delaysNs == null) return;
        if (!begun) dueNs = System.nanoTime(); // not since the phase was announced: that would have to be caught up with
        begun = true;
        dueNs += delaysNs.getAsLong();
        for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
            if (left > SPIN_NS) java.util.concurrent.locks.LockSupport.parkNanos(left - SPIN_NS);
        }
    }

    private void deliverWithFault(int sender, byte[] message) {
        boolean faulty = ++number % every == 0;
        if (faulty && fault.equals("swap")) {
            deliverHeld(sender);
            held = message; // goes behind the next one
            return;
        }
        switch (faulty ? fault : "none") {
            case "drop":
                break;
            case "double":
                listener.delivered(sender, message, 0, message.length);
                listener.delivered(sender, message, 0, message.length);
                break;
            case "corrupt":
                deliverCorrupted(sender, message, message.length - 1);
                break;
            case "corrupt_middle":
                deliverCorrupted(sender, message, message.length / 2);
                break;
            default:
                listener.delivered(sender, message, 0, message.length);
        }
        deliverHeld(sender);
    }

    private void deliverCorrupted(int sender, byte[] message, int at) {
        byte[] wrong = message.clone();
        if (wrong.length > 0) wrong[at] ^= 1;
        listener.delivered(sender, wrong, 0, wrong.length);
    }

    private void deliverHeld(int sender) {
        byte[] late = held;
        held = null;
        if (late != null) listener.delivered(sender, late, 0, late.length);
    }

    @Override
    public long handedBytes(int bufferBytes) {
        return bufferBytes;
    }

    @Override
    public String version() {
        return "of this lab";
    }

    @Override
    public void close() {}
}
