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
    private static final String OPEN_COLUMNS = ",\"scheduled_ms\",\"scheduled_us\"";
    private static final int FULL_CHARS = 64 * 1024;
    private static final long LONGEST_KEPT_NS = 500_000_000;

    private final OutputStream file;
    private final Page page;
    private final String url;
    private final boolean isOpen;
    private final StringBuilder rows = new StringBuilder(2 * FULL_CHARS);
    private final long epochNs = epochOfNanoTime();
    private long writtenNs = System.nanoTime();

    Rows(Path path, Page page, String url, boolean isOpen) throws IOException {
        file = Files.newOutputStream(path);
        this.page = page;
        this.url = url;
        this.isOpen = isOpen;
        rows.append(JMETER_COLUMNS).append(OUR_COLUMNS).append(isOpen ? OPEN_COLUMNS : "").append('\n');
    }

    /** Adds the row of a user's ended request. */
    void add(User user, Load load) throws IOException {
        var request = user.request();
        var answer = user.answer();
        var fault = request.broken == null ? page.faultOf(answer) : "";
        long startUs = epochUs(request.startNs);
        long elapsedUs = (request.endNs - request.startNs + 500) / 1000;
        long latencyUs = request.firstByteNs == 0 ? 0 : (request.firstByteNs - request.startNs + 500) / 1000;
        long connectUs = (request.connectNs + 500) / 1000;
        rows.append(startUs / 1000).append(',').append(inMs(elapsedUs)).append(',').append(load.label()).append(',');
        if (request.broken == null) {
            rows.append(answer.status()).append(',').append(quoted(answer.reason()));
        } else {
            rows.append("Non HTTP response code: ").append(request.broken.getClass().getName());
            rows.append(',').append(quoted("Non HTTP response message: " + request.broken.getMessage()));
        }
        rows.append(',').append(user.name()).append(",text,").append(request.broken == null && fault.isEmpty());
        rows.append(',').append(fault).append(',').append(request.receivedBytes).append(',').append(request.sentBytes);
        rows.append(',').append(load.users()).append(',').append(load.users()).append(',').append(url);
        rows.append(',').append(inMs(latencyUs)).append(",0,").append(inMs(connectUs));
        rows.append(',').append(startUs).append(',').append(elapsedUs).append(',').append(latencyUs);
        rows.append(',').append(connectUs).append(',').append((request.delayNs + 500) / 1000);
        if (isOpen) {
            addDue(request);
        }
        rows.append('\n');
        if (rows.length() >= FULL_CHARS || request.endNs - writtenNs >= LONGEST_KEPT_NS) {
            write();
        }
    }

    private void addDue(Request request) {
        if (request.dueNs == 0) {
            rows.append(",null,null");
        } else {
            long dueUs = epochUs(request.dueNs);
            rows.append(',').append(dueUs / 1000).append(',').append(dueUs);
        }
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

    private long epochUs(long timeNs) {
        return (timeNs + epochNs) / 1000;
    }

    private static long inMs(long us) {
        return (us + 500) / 1000;
    }

    private static String quoted(String text) {
        boolean isPlain = text.indexOf(',') < 0 && text.indexOf('"') < 0 && text.indexOf('\n') < 0 && text.indexOf('\r') < 0;
        return isPlain ? text : '"' + text.replace("\"", "\"\"").replace('\n', ' ').replace('\r', ' ') + '"';
    }
}
