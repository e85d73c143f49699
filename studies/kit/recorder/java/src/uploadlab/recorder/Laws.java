package uploadlab.recorder;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** Times that follow a law, so that what the lab reports of them is known beforehand. */
public final class Laws {
    private static final double SIGMA = 0.5;
    private static final int STALL_EVERY = 100;

    private Laws() {}

    /** Return how long each next operation takes, in ns, by the law that a setting names; constant where it is missing. */
    public static LongSupplier of(Settings settings, String variable, double meanNs, long seed) {
        return of(settings.oneOf(variable, "constant", "exponential", "lognormal", "stalls"), meanNs, seed);
    }

    /** Return the times of a law; of stalls each hundredth takes 50.5 times the mean, all others half of it. */
    public static LongSupplier of(String law, double meanNs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return switch (law) {
            case "exponential" -> () -> (long) (-meanNs * Math.log(uniform(random)));
            case "lognormal" -> () -> (long) (meanNs * Math.exp(SIGMA * normal(random) - SIGMA * SIGMA / 2));
            case "stalls" -> new LongSupplier() {
                private int number;

                @Override
                public long getAsLong() {
                    return (long) (++number % STALL_EVERY == 0 ? meanNs / 2 * (1 + STALL_EVERY) : meanNs / 2);
                }
            };
            default -> () -> (long) meanNs;
        };
    }

    /** In (0, 1]. */
    private static double uniform(SplittableRandom random) {
        return 1 - random.nextDouble();
    }

    /** Box and Muller 1958. */
    private static double normal(SplittableRandom random) {
        double radius = Math.sqrt(-2 * Math.log(uniform(random)));
        return radius * Math.cos(2 * Math.PI * uniform(random));
    }
}
