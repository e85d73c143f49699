package uploadlab.lean;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What the generator is told on its command line, NAME=VALUE each; the names are those of the JMeter plans. */
final class Settings {
    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("host", "127.0.0.1"),
                    Map.entry("port", "8080"),
                    Map.entry("path", "/getimages"),
                    Map.entry("field", "avatar"),
                    Map.entry("threads", "50"),
                    Map.entry("loops", "20"),
                    Map.entry("ramp_up_s", "0"),
                    Map.entry("duration_s", "0"),
                    Map.entry("think_time_ms", "0"),
                    Map.entry("sizes_csv", "sizes.csv"),
                    Map.entry("payload_dir", "payloads"),
                    Map.entry("schedule_csv", ""),
                    Map.entry("warmup_threads", "20"),
                    Map.entry("warmup_loops", "0"),
                    Map.entry("lead_ms", "1000"),
                    Map.entry("connect_timeout_ms", "60000"),
                    Map.entry("response_timeout_ms", "60000"),
                    Map.entry("page_bytes", "0"),
                    Map.entry("page_sha256", ""),
                    Map.entry("write_bytes", "8192"),
                    Map.entry("waits", "0"),
                    Map.entry("requests", "requests.jtl"),
                    Map.entry("log", "lean.log"));
    private static final Range FROM_0 = new Range(0, Integer.MAX_VALUE, ", 0 or above");
    private static final Map<String, Range> RANGES =
            Map.of(
                    "loops", new Range(Integer.MIN_VALUE, Integer.MAX_VALUE, ""),
                    "port", new Range(1, 65_535, " from 1 to 65535"),
                    "threads", new Range(1, Integer.MAX_VALUE, ", 1 or above"));

    private record Range(int least, int most, String inWords) {}

    private final Map<String, String> values = new HashMap<>(DEFAULTS);

    /**
     * Reads the command line.
     *
     * @throws UsageException for a setting that does not exist
     */
    Settings(String[] arguments) throws UsageException {
        for (var argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 0 || !DEFAULTS.containsKey(argument.substring(0, equals))) {
                throw new UsageException(argument + ": expected SETTING=VALUE, as in threads=50.");
            }
            values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
    }

    String text(String name) {
        return values.get(name);
    }

    /** Returns the host as URLs and the header Host have it: an IPv6 address in brackets. */
    String hostInUrl() {
        var host = text("host");
        return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    /**
     * Returns a path.
     *
     * @throws UsageException where Java has no such path: in the locale C, one with other letters than ASCII's
     */
    Path path(String name) throws UsageException {
        try {
            return Path.of(text(name));
        } catch (InvalidPathException e) {
            throw new UsageException(
                    name + "=" + text(name) + ": expected a path that Java can use in this locale; try LC_ALL=C.UTF-8.");
        }
    }

    /**
     * Returns a whole number.
     *
     * @throws UsageException where it is none, or out of bounds
     */
    int number(String name) throws UsageException {
        var range = RANGES.getOrDefault(name, FROM_0);
        try {
            int value = Integer.parseInt(text(name));
            if (value >= range.least && value <= range.most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(name + "=" + text(name) + ": expected a whole number" + range.inWords + ".");
    }
}
