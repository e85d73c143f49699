import java.util.Random;
import org.apache.jmeter.threads.openmodel.ScheduleParser;
import org.apache.jmeter.threads.openmodel.ThreadScheduleProcessGenerator;
import org.apache.jmeter.timers.poissonarrivals.ConstantPoissonProcessGenerator;
import org.apache.jmeter.timers.poissonarrivals.PreciseThroughputTimer;

/**
 * Prints when JMeter's own ways of open arrivals mean to send, in seconds from their start, one a line.
 *
 * <p>{@code java -cp JMETER_HOME/lib/ext/*:JMETER_HOME/lib/* DueTimes.java timer|group RATE_PER_S SECONDS SEED}
 */
public final class DueTimes {
    private DueTimes() {}

    public static void main(String[] arguments) {
        double rate = Double.parseDouble(arguments[1]);
        int seconds = Integer.parseInt(arguments[2]);
        long seed = Long.parseLong(arguments[3]);
        if (arguments[0].equals("timer")) {
            timer(rate, seconds, seed);
        } else {
            group(rate, seconds, seed);
        }
    }

    private static void timer(double rate, int seconds, long seed) {
        var settings = new PreciseThroughputTimer();
        settings.setThroughput(rate);
        settings.setThroughputPeriod(1);
        settings.setDuration(seconds);
        var process = new ConstantPoissonProcessGenerator(settings, 1, 0, settings, seed, false);
        for (double at = process.next(); at < seconds; at = process.next()) {
            System.out.println(at);
        }
    }

    private static void group(double rate, int seconds, long seed) {
        var schedule = new ScheduleParser("rate(" + rate + "/s) random_arrivals(" + seconds + " s)").parse();
        var process = new ThreadScheduleProcessGenerator(new Random(seed), schedule);
        while (process.hasNext()) {
            System.out.println(process.nextDouble());
        }
    }
}
