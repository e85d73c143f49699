package uploadlab.groups;

import java.util.SplittableRandom;
import uploadlab.recorder.Settings;

/**
 * A group that is not there: each message sent is delivered at once, its own and, as if the others had sent the same at the same
 * time, theirs. As `known` it waits before each as a law says, and every KNOWN_EVERY-th message of the last sender suffers
 * KNOWN_FAULT.
 */
final class Law implements Channel {
    private static final int STALL_EVERY = 100;
    private static final long SPIN_NS = 200_000;

    private final String law;
    private final String fault;
    private final long every;
    private final double meanNs;
    private final SplittableRandom random;
    private Place place;
    private Listener listener;
    private byte[] held;
    private long number;
    private long dueNs;
    private boolean begun;

    private Law(String law, String fault, long every, double meanNs, long seed) {
        this.law = law;
        this.fault = fault;
        this.every = every;
        this.meanNs = meanNs;
        random = new SplittableRandom(seed);
    }

    /** A transport that does nothing. */
    static Law nothing() {
        return new Law("constant", "none", 1, 0, 1);
    }

    static Law known(Settings settings) {
        return new Law(
                settings.oneOf("KNOWN_LAW", "constant", "exponential", "lognormal", "stalls"),
                settings.oneOf("KNOWN_FAULT", "none", "drop", "double", "swap", "corrupt", "corrupt_middle"),
                settings.whole("KNOWN_EVERY", 10_000),
                1e3 * settings.real("KNOWN_MEAN_US", 100),
                settings.whole("SEED", 1) * 1_000_003 + settings.whole("INDEX", 0));
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
        if (meanNs == 0) return;
        if (!begun) dueNs = System.nanoTime(); // not since the phase was announced: that would have to be caught up with
        begun = true;
        dueNs += (long) delayNs();
        for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
            if (left > SPIN_NS) java.util.concurrent.locks.LockSupport.parkNanos(left - SPIN_NS);
        }
    }

    private double delayNs() {
        switch (law) {
            case "exponential":
                return -meanNs * Math.log(1 - random.nextDouble());
            case "lognormal": // sigma 0.5; the mean of exp(N) is exp(sigma^2 / 2)
                double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
                return meanNs * Math.exp(0.5 * radius * Math.cos(2 * Math.PI * random.nextDouble()) - 0.125);
            case "stalls":
                return (number + 1) % STALL_EVERY == 0 ? meanNs / 2 * (1 + STALL_EVERY) : meanNs / 2;
            default:
                return meanNs;
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
