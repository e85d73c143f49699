package uploadlab.reference;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** Writes when each request came and was answered, in microseconds since the epoch; without a file, nothing. */
final class Truth implements AutoCloseable {
    private final PrintWriter out;
    private final long epochNs;

    Truth(String file) throws IOException {
        var now = Instant.now();
        epochNs = now.getEpochSecond() * 1_000_000_000L + now.getNano() - System.nanoTime();
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
