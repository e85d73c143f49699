package uploadlab.reference;

import java.util.Random;

/**
 * A law of response times: how long after the last byte of a request its answer is due.
 *
 * <p>The draws come from one seeded generator in the order of arrival, so that two servers with the same seed draw the same
 * times.
 */
interface Law {
    /** When the server answers nothing: the last {@code lengthNs} of every {@code everyNs} since it started. */
    record Stalls(long originNs, long everyNs, long lengthNs) {
        /** Returns the time itself, or the end of the stall it falls into. */
        long after(long timeNs) {
            if (lengthNs == 0) {
                return timeNs;
            }
            long into = Math.floorMod(timeNs - originNs, everyNs);
            return into < everyNs - lengthNs ? timeNs : timeNs - into + everyNs;
        }
    }

    /** Returns the next response time in nanoseconds. */
    long nextNs();

    /**
     * Makes the law named in the settings.
     *
     * <ul>
     *   <li>{@code none}: answers at once
     *   <li>{@code constant}: the mean
     *   <li>{@code exponential}: with the mean
     *   <li>{@code lognormal}: with the mean and the coefficient of variation: sigma^2 = ln(1 + cv^2), mu = ln(mean) - sigma^2/2
     *   <li>{@code bimodal}: mean - cv mean or mean + cv mean, each with probability one half
     *   <li>{@code stalls}: the mean, but nothing is answered in stalls (see {@link Stalls})
     * </ul>
     *
     * @throws IllegalArgumentException where there is no such law, or it cannot be kept
     */
    static Law of(Settings settings) {
        var random = new Random(settings.seed());
        double mean = settings.meanMs() * 1e6;
        double cv = settings.cv();
        return switch (settings.law()) {
            case "none" -> () -> 0;
            case "constant" -> () -> (long) mean;
            case "stalls" -> {
                if (settings.stallEveryMs() <= settings.stallMs()) {
                    throw new IllegalArgumentException("STALL_EVERY_MS must be above STALL_MS, " + settings.stallMs()
                        + ", it is " + settings.stallEveryMs() + ".");
                }
                yield () -> (long) mean;
            }
            case "exponential" -> () -> (long) (-mean * Math.log(1 - random.nextDouble()));
            case "lognormal" -> {
                double variance = Math.log(1 + cv * cv);
                yield () -> (long) (mean * Math.exp(Math.sqrt(variance) * random.nextGaussian() - variance / 2));
            }
            case "bimodal" -> {
                if (cv > 1) { // the lower of the two times would be below 0, and the mean another
                    throw new IllegalArgumentException("CV must be at most 1 with the law bimodal, it is " + cv + ".");
                }
                yield () -> (long) (random.nextBoolean() ? mean * (1 + cv) : mean * (1 - cv));
            }
            default -> throw new IllegalArgumentException(
                "LAW must be none, constant, exponential, lognormal, bimodal or stalls, it is \"" + settings.law() + "\".");
        };
    }
}
