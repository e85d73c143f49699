package uploadlab.reference;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One connection: reads a request's head, drops its body, and knows when the request is whole. */
final class Connection {
    private static final int LONGEST_HEAD = 16_384;
    private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};

    final SocketChannel channel;
    String requestLine = "";
    boolean asksToContinue;
    long firstByteNs;
    long lastByteNs;
    long programmedNs;
    ByteBuffer held;
    private final byte[] head = new byte[LONGEST_HEAD];
    private int headLength;
    private int matched;
    private long bodyLeft = -1;

    Connection(SocketChannel channel) {
        this.channel = channel;
    }

    /** Takes in what was received; returns whether a request is whole. The rest of the buffer is dropped: no pipelining. */
    boolean take(ByteBuffer received) throws IOException {
        if (headLength == 0) {
            firstByteNs = System.nanoTime();
        }
        while (bodyLeft < 0 && received.hasRemaining()) {
            readHead(received.get());
        }
        if (bodyLeft < 0) {
            return false;
        }
        bodyLeft -= received.remaining();
        if (bodyLeft > 0) {
            return false;
        }
        lastByteNs = System.nanoTime();
        headLength = 0;
        bodyLeft = -1;
        return true;
    }

    private void readHead(byte next) throws IOException {
        if (headLength == LONGEST_HEAD) {
            throw new IOException("the head is longer than " + LONGEST_HEAD + " bytes");
        }
        head[headLength++] = next;
        matched = next == END_OF_HEAD[matched] ? matched + 1 : next == '\r' ? 1 : 0;
        if (matched < END_OF_HEAD.length) {
            return;
        }
        matched = 0;
        var lines = new String(head, 0, headLength, StandardCharsets.ISO_8859_1).split("\r\n");
        requestLine = lines[0];
        asksToContinue = false;
        bodyLeft = 0;
        for (var line : lines) {
            var field = line.toLowerCase(Locale.ROOT);
            if (field.startsWith("content-length:")) {
                bodyLeft = Long.parseLong(field.substring("content-length:".length()).strip());
            } else if (field.startsWith("expect: 100-continue")) {
                asksToContinue = true;
            } else if (field.startsWith("transfer-encoding:")) {
                throw new IOException("a body without Content-Length");
            }
        }
    }
}
