package uploadlab.lean;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One request as it goes out: its bytes, the same as JMeter's, ready, cut into the pieces that are written one at a time.
 *
 * <p>JMeter copies a file 4 KiB at a time into a buffer of 8 KiB that already holds the heads, and writes that buffer when
 * the next 4 KiB don't fit; the closing boundary is a write of its own. With {@code write_bytes} of 8192 the pieces are the
 * same; with 0 there are as few as can be.
 */
final class Upload {
    private static final int LARGEST_BUFFERED_FILE = 64 * 1024;
    /** JMeter draws 30 to 40 characters for each request; this is as many as it has on average. */
    private static final String BOUNDARY = "upload-lab-0123456789-boundary-lean";
    private static final ByteBuffer TAIL = joined(utf8("\r\n--" + BOUNDARY + "--\r\n"));

    /** Further request headers, each line with its end: not on the command line, where everybody can read them. */
    private static final String HEADERS = System.getenv().getOrDefault("LEAN_HEADERS", "");

    /** To be duplicated: who writes one moves its position. */
    final List<ByteBuffer> pieces = new ArrayList<>();
    /** The size of the whole request, its head included. */
    final long bytes;

    /** Makes the request that uploads a file. */
    Upload(Path path, Settings settings) throws IOException {
        int writeBytes = settings.number("write_bytes");
        var content = contentOf(path);
        int size = content.capacity();
        var head = headOf(path.getFileName().toString(), size, settings);
        int headBytes = head.capacity();
        bytes = (long) headBytes + size + TAIL.capacity();
        boolean isSmall = size <= LARGEST_BUFFERED_FILE;
        if (isSmall && writeBytes == 0) {
            pieces.add(joined(head, content, TAIL));
            return;
        }
        int withHead = Math.min(size, writeBytes / 2);
        var start = joined(head, isSmall ? content : content.slice(0, withHead));
        var rest = isSmall ? start.slice(headBytes, size) : content;
        int step = writeBytes == 0 ? size : writeBytes;
        pieces.add(start.slice(0, headBytes + withHead));
        for (int from = withHead; from < size; from += Math.min(step, size - from)) {
            pieces.add(rest.slice(from, Math.min(step, size - from)));
        }
        pieces.add(TAIL);
    }

    private static ByteBuffer contentOf(Path path) throws IOException {
        if (Files.size(path) <= LARGEST_BUFFERED_FILE) {
            return ByteBuffer.wrap(Files.readAllBytes(path));
        }
        try (var file = FileChannel.open(path)) {
            return file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).load();
        }
    }

    private static ByteBuffer headOf(String name, long size, Settings settings) {
        int port = settings.number("port");
        var parts =
                utf8(
                        formOf(settings) + "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\""
                                + settings.text("field") + "\"; filename=\"" + name + "\"\r\nContent-Type: image/jpeg\r\n"
                                + "Content-Transfer-Encoding: binary\r\n\r\n");
        var head =
                "POST " + settings.text("path") + " HTTP/1.1\r\nConnection: keep-alive\r\n" + HEADERS + "Content-Length: "
                        + (parts.capacity() + size + TAIL.capacity())
                        + "\r\nContent-Type: multipart/form-data; boundary=" + BOUNDARY + "; charset=UTF-8\r\nHost: "
                        + settings.hostInUrl() + (port == 80 ? "" : ":" + port)
                        + "\r\nUser-Agent: uploadlab/lean-generator (Java/" + System.getProperty("java.version")
                        + ")\r\n\r\n";
        return joined(utf8(head), parts);
    }

    /** Returns the parts of the text fields, as they are in the address of a form that is sent by GET: a=1&amp;b=2. */
    private static String formOf(Settings settings) {
        var parts = new StringBuilder();
        for (var pair : settings.text("form").split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                parts.append("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"")
                        .append(URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8))
                        .append("\"\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n")
                        .append(URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8))
                        .append("\r\n");
            }
        }
        return parts.toString();
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a buffer that the system can read in place. */
    private static ByteBuffer joined(ByteBuffer... parts) {
        var all = ByteBuffer.allocateDirect(Stream.of(parts).mapToInt(ByteBuffer::remaining).sum());
        for (var part : parts) {
            all.put(part.duplicate());
        }
        return all.flip();
    }
}
