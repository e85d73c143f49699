package uploadlab.recorder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a part tells about itself: one JSON object a line, at_ns in nanoseconds since 1970. */
public final class Events implements AutoCloseable {
    private final Writer file;

    private Events(Writer file) {
        this.file = file;
    }

    /** Make the file, which must not be there. */
    public static Events open(Path path) throws IOException {
        return new Events(Files.newBufferedWriter(path, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW));
    }

    /** Write an event with members given as name, value, name, value …; values are what {@link #json} takes. */
    public synchronized void tell(String event, Object... members) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("at_ns", epochNs());
        object.put("event", event);
        for (int i = 0; i < members.length; i += 2) object.put((String) members[i], members[i + 1]);
        try {
            file.write(json(object) + "\n");
            file.flush();
        } catch (IOException error) {
            throw new UncheckedIOException("The events could not be written: " + error.getMessage(), error);
        }
    }

    /** Tell which process this is, and its two clocks at one moment. */
    public void started(Map<String, String> versions) {
        long before = System.nanoTime();
        long epochNs = epochNs();
        long after = System.nanoTime();
        tell(
                "started", "pid", ProcessHandle.current().pid(), "versions", versions, "monotonic_ns",
                before + (after - before) / 2, "epoch_ns", epochNs, "uncertainty_ns", (after - before + 1) / 2);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Return a Map, List, String, Number, Boolean or null as JSON. */
    public static String json(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
        if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                    .map(entry -> quoted(String.valueOf(entry.getKey())) + ": " + json(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List) {
            return ((List<?>) value).stream().map(Events::json).collect(Collectors.joining(", ", "[", "]"));
        }
        return quoted(value.toString());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char character : text.toCharArray()) {
            if (character == '"' || character == '\\') {
                quoted.append('\\').append(character);
            } else if (character < ' ' || Character.isSurrogate(character)) {
                quoted.append(String.format("\\u%04x", (int) character));
            } else {
                quoted.append(character);
            }
        }
        return quoted.append('"').toString();
    }

    private static long epochNs() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }
}
