package uploadlab.lean;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the generator is told of a load on its command line, NAME=VALUE each; the names are those of the JMeter plans. */
final class Settings {
    private static final String DEFAULTS =
            """
            host=127.0.0.1 port=8080 path=/getimages field=avatar
            threads=50 loops=20 ramp_up_s=0 duration_s=0 think_time_ms=0 schedule_csv=
            sizes_csv=sizes.csv payload_dir=payloads write_bytes=8192
            warmup_threads=20 warmup_loops=0 lead_ms=1000 background_s=0 lead_in_csv= waits=0
            connect_timeout_ms=60000 response_timeout_ms=60000 status=0 body_bytes=0 body_sha256= form= turn_ms=0
            requests=requests.jtl log=lean.log turns=turns.csv label=Upload file
            """;
    private static final String NEXT_LOAD = "then";
    private static final Range FROM_0 = new Range(0, Integer.MAX_VALUE, ", 0 or above");
    private static final Map<String, Range> RANGES =
            Map.of(
                    "loops", new Range(Integer.MIN_VALUE, Integer.MAX_VALUE, ""),
                    "port", new Range(1, 65_535, " from 1 to 65535"),
                    "status", new Range(0, 599, " from 0 to 599"),
                    "threads", new Range(1, Integer.MAX_VALUE, ", 1 or above"));

    private record Range(int least, int most, String inWords) {}

    private final Map<String, String> values = new HashMap<>();

    private Settings(Map<String, String> values) {
        this.values.putAll(values);
    }

    /**
     * Reads the command line: the settings of each load, after a `then` those that differ in the next one.
     *
     * @throws UsageException for a setting that does not exist
     */
    static List<Settings> ofLoads(String[] arguments) {
        var loads = new ArrayList<Settings>();
        var load = new Settings(Map.of());
        for (var setting : DEFAULTS.strip().split("\\s+(?=\\w+=)")) {
            var pair = setting.split("=", 2);
            load.values.put(pair[0], pair[1]);
        }
        loads.add(load);
        for (var argument : arguments) {
            if (argument.equals(NEXT_LOAD)) {
                load = new Settings(load.values);
                loads.add(load);
            } else {
                load.set(argument);
            }
        }
        return loads;
    }

    private void set(String argument) {
        var pair = argument.split("=", 2);
        if (pair.length < 2 || values.replace(pair[0], pair[1]) == null) {
            throw new UsageException(argument + ": expected SETTING=VALUE, as in threads=50.");
        }
    }

    /** Takes the settings of a line, with tabs in between; a line without any is only the word to begin. */
    void take(String line) {
        for (var setting : line.split("\t")) {
            var pair = setting.split("=", 2);
            if (pair.length == 2) {
                values.replace(pair[0], pair[1]);
            }
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
    Path path(String name) {
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
    int number(String name) {
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

    /** Returns a time in nanoseconds, of a whole number of the unit that its name ends with. */
    long ns(String name) {
        return number(name) * (name.endsWith("_ms") ? 1_000_000L : 1_000_000_000L);
    }
}
