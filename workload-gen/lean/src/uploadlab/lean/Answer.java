package uploadlab.lean;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** An answer as it comes in: its status, and its body by length, in chunks, or to the connection's end. */
final class Answer {
    private static final int LONGEST_HEAD = 8 * 1024;
    private static final long TO_THE_END = Long.MAX_VALUE;

    /** What the next byte belongs to. */
    private enum Part { HEAD, BODY, CHUNK_SIZE, CHUNK, AFTER_CHUNK, TRAILER, WHOLE }

    private final byte[] line = new byte[LONGEST_HEAD];
    private Part part;
    private int lineLength;
    private long left;
    String status;
    String reason;
    /** The body, of a long one its beginning. */
    final byte[] body;
    /** How long the whole body is. */
    long bodyBytes;
    /** Whether the connection can be used again. */
    boolean keepsAlive;

    /** Waits for an answer, of whose body it keeps the first bytes. */
    Answer(int keptBytes) {
        body = new byte[keptBytes];
        clear();
    }

    /** Waits for another answer. */
    void clear() {
        part = Part.HEAD;
        lineLength = 0;
        bodyBytes = 0;
        status = "";
        reason = "";
        keepsAlive = true;
    }

    boolean isWhole() {
        return part == Part.WHOLE;
    }

    /** Takes in what was received. */
    void take(ByteBuffer received) throws ProtocolException {
        while (received.hasRemaining() && part != Part.WHOLE) {
            switch (part) {
                case BODY, CHUNK -> takeBody(received);
                default -> takeByte(received.get());
            }
        }
        if (received.hasRemaining()) {
            keepsAlive = false; // bytes that nobody asked for
        }
    }

    /** The connection ended: that may be the end of the body. */
    void end() {
        if (part == Part.BODY && left == TO_THE_END) {
            part = Part.WHOLE;
        }
        keepsAlive = false;
    }

    private void takeBody(ByteBuffer received) {
        int taken = (int) Math.min(left, received.remaining());
        int kept = (int) Math.max(0, Math.min(taken, body.length - bodyBytes));
        received.get(body, (int) Math.min(bodyBytes, body.length), kept);
        received.position(received.position() + taken - kept);
        bodyBytes += taken;
        left -= left == TO_THE_END ? 0 : taken;
        if (left == 0) {
            part = part == Part.CHUNK ? Part.AFTER_CHUNK : Part.WHOLE;
        }
    }

    private void takeByte(byte next) throws ProtocolException {
        if (lineLength == LONGEST_HEAD) {
            throw new ProtocolException("the head of the answer is longer than " + LONGEST_HEAD + " bytes");
        }
        line[lineLength++] = next;
        if (next != '\n') {
            return;
        }
        boolean isEmpty = lineLength >= 4 && line[lineLength - 2] == '\r' && line[lineLength - 3] == '\n';
        if (part == Part.HEAD && !isEmpty) {
            return;
        }
        var text = new String(line, 0, lineLength, StandardCharsets.ISO_8859_1);
        lineLength = 0;
        switch (part) {
            case HEAD -> readHead(text);
            case CHUNK_SIZE -> readChunkSize(text);
            case AFTER_CHUNK -> part = Part.CHUNK_SIZE;
            default -> part = text.isBlank() ? Part.WHOLE : Part.TRAILER;
        }
    }

    private void readHead(String head) throws ProtocolException {
        boolean isHttp = head.startsWith("HTTP/1.") && head.length() >= 12;
        if (!isHttp || !head.substring(9, 12).chars().allMatch(Character::isDigit)) {
            throw new ProtocolException("the answer is no HTTP: " + head.lines().findFirst().orElse(""));
        }
        int end = head.indexOf("\r\n");
        status = head.substring(9, 12);
        reason = end > 13 ? head.substring(13, end) : "";
        if (status.startsWith("1")) {
            return; // the answer itself is still to come
        }
        var connection = field(head, "connection");
        keepsAlive = head.startsWith("HTTP/1.1") ? !"close".equalsIgnoreCase(connection) : "keep-alive".equalsIgnoreCase(connection);
        var length = field(head, "content-length");
        if (status.equals("204") || status.equals("304")) {
            part = Part.WHOLE;
        } else if ("chunked".equalsIgnoreCase(field(head, "transfer-encoding"))) {
            part = Part.CHUNK_SIZE;
        } else {
            left = length == null ? TO_THE_END : number(length, 10);
            part = left == 0 ? Part.WHOLE : Part.BODY;
        }
    }

    private void readChunkSize(String text) throws ProtocolException {
        int extension = text.indexOf(';');
        left = number(extension < 0 ? text : text.substring(0, extension), 16);
        part = left == 0 ? Part.TRAILER : Part.CHUNK;
    }

    /** Returns the value of a field of the head, or null. */
    private static String field(String head, String name) {
        for (int at = head.indexOf("\r\n") + 2; at > 1 && at < head.length(); at = head.indexOf("\r\n", at) + 2) {
            int colon = at + name.length();
            if (head.regionMatches(true, at, name, 0, name.length()) && head.charAt(colon) == ':') {
                return head.substring(colon + 1, head.indexOf("\r\n", at)).strip();
            }
        }
        return null;
    }

    private static long number(String text, int base) throws ProtocolException {
        try {
            long value = Long.parseLong(text.strip(), base);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new ProtocolException("the answer has a length that is not a number: " + text.strip());
    }
}
