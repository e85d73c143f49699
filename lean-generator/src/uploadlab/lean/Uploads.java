package uploadlab.lean;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The list of sizes, each with the request that uploads a file of that size: the same bytes as JMeter sends. */
final class Uploads {
    /** JMeter draws 30 to 40 characters for each request; this is as many as it has on average. */
    private static final String BOUNDARY = "upload-lab-0123456789-boundary-lean";

    private final List<Upload> inOrder = new ArrayList<>();

    /**
     * Prepares all requests of the list.
     *
     * @throws UsageException where the list or a payload file cannot be read
     */
    Uploads(Settings settings) throws UsageException {
        var list = settings.path("sizes_csv");
        Map<String, Upload> ofSize = new HashMap<>();
        for (var size : linesOf(list)) {
            var known = ofSize.get(size);
            if (known == null) {
                known = prepare(settings, settings.path("payload_dir").resolve(size + ".split"));
                ofSize.put(size, known);
            }
            inOrder.add(known);
        }
        if (inOrder.isEmpty()) {
            throw new UsageException(list + " has no size; expected one a line.");
        }
    }

    /** Returns the request at a place of the list, which begins again at its end. */
    Upload at(long place) {
        return inOrder.get((int) (place % inOrder.size()));
    }

    static List<String> linesOf(Path file) throws UsageException {
        try {
            return Files.readAllLines(file).stream().map(String::strip).filter(line -> !line.isEmpty()).toList();
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read: " + e);
        }
    }

    private static Upload prepare(Settings settings, Path file) throws UsageException {
        int port = settings.number("port");
        var part =
                "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"" + settings.text("field")
                        + "\"; filename=\"" + file.getFileName() + "\"\r\nContent-Type: image/jpeg\r\n"
                        + "Content-Transfer-Encoding: binary\r\n\r\n";
        var tail = "\r\n--" + BOUNDARY + "--\r\n";
        try {
            var head =
                    "POST " + settings.text("path") + " HTTP/1.1\r\nConnection: keep-alive\r\nContent-Length: "
                            + (part.length() + Files.size(file) + tail.length())
                            + "\r\nContent-Type: multipart/form-data; boundary=" + BOUNDARY + "; charset=UTF-8\r\nHost: "
                            + settings.hostInUrl() + (port == 80 ? "" : ":" + port)
                            + "\r\nUser-Agent: uploadlab/lean-generator (Java/" + System.getProperty("java.version")
                            + ")\r\n\r\n";
            return new Upload(Upload.ascii(head + part), file, Upload.ascii(tail), settings.number("write_bytes"));
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read: " + e);
        }
    }
}
