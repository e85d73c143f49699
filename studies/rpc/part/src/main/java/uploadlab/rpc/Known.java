package uploadlab.rpc;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

import uploadlab.recorder.Settings;

/** Calls that take as long as a law says, so that what the lab reports of them is known beforehand. */
public final class Known {
    /** Every so many calls one stalls; all others of the law `stalls` take its mean. */
    static final int STALL_EVERY = 100;

    /** How much longer a stalled call takes. */
    static final int STALL_TIMES = 10;

    private Known() {}

    public static void main(String[] arguments) {
        Part.run(new InProcess(Known::waits), arguments);
    }

    private static LongSupplier waits(Settings settings) {
        String law = settings.oneOf("LAW", "constant", "exponential", "lognormal", "stalls");
        return law(law, settings.real("MEAN_US") * 1e3, settings.whole("SEED"));
    }

    /** Return how long each next call takes, in ns; the lognormal law has a standard deviation of 1 in its logarithm. */
    static LongSupplier law(String law, double meanNs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return switch (law) {
            case "exponential" -> () -> (long) (-Math.log(1 - random.nextDouble()) * meanNs);
            case "lognormal" -> () -> (long) (Math.exp(normal(random) - 0.5) * meanNs);
            case "stalls" -> new LongSupplier() {
                private int calls;

                @Override
                public long getAsLong() {
                    return (long) (++calls % STALL_EVERY == 0 ? STALL_TIMES * meanNs : meanNs);
                }
            };
            default -> () -> (long) meanNs;
        };
    }

    /** Box and Muller 1958. */
    private static double normal(SplittableRandom random) {
        double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
        return radius * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
