package uploadlab.lean;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The request file: JMeter's columns, then the times in microseconds, which JMeter takes for variables of its plan. */
final class Rows implements AutoCloseable {
    private static final String JMETER_COLUMNS =
            "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
                    + "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";
    private static final String OUR_COLUMNS = ",\"start_us\",\"elapsed_us\",\"latency_us\",\"connect_us\",\"delay_us\"";
    private static final String OPEN_COLUMNS = ",\"scheduled_ms\",\"scheduled_us\",\"full_us\"";
    private static final int FULL_CHARS = 64 * 1024;
    private static final long LONGEST_KEPT_NS = 500_000_000;

    private final OutputStream file;
    private final Expected expected;
    private final String url;
    private final boolean isOpen;
    private final StringBuilder rows = new StringBuilder(2 * FULL_CHARS);
    private final long epochNs = epochOfNanoTime();
    private long writtenNs = System.nanoTime();

    Rows(Path path, Expected expected, String url, boolean isOpen) throws IOException {
        file = Files.newOutputStream(path);
        this.expected = expected;
        this.url = url;
        this.isOpen = isOpen;
        rows.append(JMETER_COLUMNS).append(OUR_COLUMNS).append(isOpen ? OPEN_COLUMNS : "").append('\n');
    }

    /** Adds the row of a user's ended request. */
    void add(User user, Load load) throws IOException {
        var request = user.request;
        var answer = user.answer;
        var broken = request.broken;
        var code = broken == null ? answer.status : "Non HTTP response code: " + broken.getClass().getName();
        var reason = broken == null ? answer.reason : "Non HTTP response message: " + broken.getMessage();
        var fault = broken == null ? expected.faultOf(answer) : "";
        long startUs = epochUs(request.startNs);
        long elapsedUs = thousands(request.endNs - request.startNs);
        long latencyUs = request.firstByteNs == 0 ? 0 : thousands(request.firstByteNs - request.startNs);
        long connectUs = thousands(request.connectNs);
        rows.append(startUs / 1000);
        put(thousands(elapsedUs)).put(load.label).put(code).put(quoted(reason)).put(user.name).put("text");
        put(broken == null && fault.isEmpty() ? "true" : "false").put(fault);
        put(request.receivedBytes).put(request.sentBytes).put(load.present).put(load.present).put(url);
        put(thousands(latencyUs)).put(0).put(thousands(connectUs));
        put(startUs).put(elapsedUs).put(latencyUs).put(connectUs).put(thousands(request.delayNs));
        if (isOpen && request.dueNs == 0) {
            put("null").put("null").put("null");
        } else if (isOpen) {
            long dueUs = epochUs(request.dueNs);
            put(dueUs / 1000).put(dueUs).put(thousands(request.fullNs));
        }
        rows.append('\n');
        if (rows.length() >= FULL_CHARS || request.endNs - writtenNs >= LONGEST_KEPT_NS) {
            write();
        }
    }

    private Rows put(String text) {
        rows.append(',').append(text);
        return this;
    }

    private Rows put(long number) {
        rows.append(',').append(number);
        return this;
    }

    /** Writes what is kept. */
    void write() throws IOException {
        file.write(rows.toString().getBytes(StandardCharsets.UTF_8));
        rows.setLength(0);
        writtenNs = System.nanoTime();
    }

    @Override
    public void close() throws IOException {
        write();
        file.close();
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

    long epochUs(long timeNs) {
        return (timeNs + epochNs) / 1000;
    }

    /** Returns how many thousands a number has, rounded: a time in the next larger unit. */
    private static long thousands(long number) {
        return (number + 500) / 1000;
    }

    private static String quoted(String text) {
        boolean isPlain = text.indexOf(',') < 0 && text.indexOf('"') < 0 && text.indexOf('\n') < 0 && text.indexOf('\r') < 0;
        return isPlain ? text : '"' + text.replace("\"", "\"\"").replace('\n', ' ').replace('\r', ' ') + '"';
    }
}
