package uploadlab.reference;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Writes when each request came and was answered, in microseconds since the epoch; without a file, nothing. */
final class Truth implements AutoCloseable {
    private final PrintWriter out;
    private final long epochNs = epochOfNanoTime();

    Truth(String file) throws IOException {
        out = file.isEmpty() ? null : new PrintWriter(Files.newBufferedWriter(Path.of(file)));
        if (out != null) {
            out.println("first_byte_us,last_byte_us,answered_us,programmed_us");
        }
    }

    /** Notes one answered upload; times as {@link System#nanoTime} gives them. */
    void note(long firstByteNs, long lastByteNs, long answeredNs, long programmedNs) {
        if (out != null) {
            out.println(us(firstByteNs) + "," + us(lastByteNs) + "," + us(answeredNs) + "," + programmedNs / 1000);
        }
    }

    /** What {@link System#nanoTime} is short of the time since 1970, to a microsecond: the closest of several readings. */
    private static long epochOfNanoTime() {
        long closestNs = Long.MAX_VALUE;
        long epochNs = 0;
        for (int i = 0; i < 100; i++) {
            long beforeNs = System.nanoTime();
            long wallNs = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
            long tookNs = System.nanoTime() - beforeNs;
            if (tookNs < closestNs) {
                closestNs = tookNs;
                epochNs = wallNs - beforeNs - tookNs / 2;
            }
        }
        return epochNs;
    }

    private long us(long nanoTime) {
        return (nanoTime + epochNs) / 1000;
    }

    @Override
    public void close() {
        if (out != null) {
            out.close();
        }
    }
}
