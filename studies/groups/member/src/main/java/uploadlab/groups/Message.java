package uploadlab.groups;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import uploadlab.recorder.Status;

/**
 * The messages: little-endian number (4 bytes), sender (2), kind (2) and length (4), then a fixed pattern, cut at the message's
 * size. A message of one byte so carries the lowest byte of its number.
 */
final class Message {
    static final int MOST_BYTES = 1 << 20;
    static final int CONTROL_BYTES = 28;

    /** A begin, an end, and an end after which the sender goes on to no other round. */
    enum Control { NONE, BEGIN, END, LAST_END }

    private static final int HEADER_BYTES = 12;
    private static final int SENDER_AT = 4;
    private static final int KIND_AT = 6;
    private static final int LENGTH_AT = 8;
    private static final int COUNT_AT = 20;
    private static final int FROM_AT = 24;
    private static final int EDGE_BYTES = 16;
    private static final long CONTROL_MARK = 0x6c61_625f_6772_6f75L;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] PATTERN = pattern();

    private Message() {}

    private static byte[] pattern() {
        byte[] pattern = new byte[MOST_BYTES];
        for (int i = 0; i < pattern.length; i++) pattern[i] = (byte) (i * 0x9e3779b1 >>> 24);
        return pattern;
    }

    /** Return a new message of so many bytes. */
    static byte[] filled(int seq, int sender, int bytes) {
        byte[] message = Arrays.copyOf(PATTERN, bytes);
        if (bytes >= HEADER_BYTES) {
            putHeader(message, seq, sender, bytes);
        } else {
            System.arraycopy(header(seq, sender, bytes), 0, message, 0, bytes);
        }
        return message;
    }

    private static byte[] header(int seq, int sender, int bytes) {
        byte[] header = new byte[HEADER_BYTES];
        putHeader(header, seq, sender, bytes);
        return header;
    }

    private static void putHeader(byte[] message, int seq, int sender, int bytes) {
        INT.set(message, 0, seq);
        INT.set(message, SENDER_AT, sender);
        INT.set(message, LENGTH_AT, bytes);
    }

    /** Return the message that begins a phase and says what comes. */
    static byte[] begin(int phase, int sender, Content content) {
        byte[] message = control(Control.BEGIN, phase, sender);
        INT.set(message, COUNT_AT, content.count());
        INT.set(message, FROM_AT, content.from());
        return message;
    }

    /** Return the message that ends a phase and says how many messages each member sends in the next. */
    static byte[] end(boolean last, int phase, int sender, int next) {
        byte[] message = control(last ? Control.LAST_END : Control.END, phase, sender);
        INT.set(message, COUNT_AT, next);
        return message;
    }

    private static byte[] control(Control control, int phase, int sender) {
        byte[] message = filled(phase, sender, CONTROL_BYTES);
        message[KIND_AT] = (byte) control.ordinal();
        LONG.set(message, HEADER_BYTES, CONTROL_MARK);
        return message;
    }

    static Control controlOf(byte[] buffer, int offset, int length) {
        boolean plain = length != CONTROL_BYTES || (long) LONG.get(buffer, offset + HEADER_BYTES) != CONTROL_MARK;
        return plain ? Control.NONE : Control.values()[buffer[offset + KIND_AT]];
    }

    static int nextOf(byte[] end, int offset) {
        return (int) INT.get(end, offset + COUNT_AT);
    }

    /** Return what a begin says of its phase. */
    static Content contentOf(byte[] control, int offset, int loadBytes) {
        return new Content((int) INT.get(control, offset + COUNT_AT), (int) INT.get(control, offset + FROM_AT), loadBytes);
    }

    /** Return the number that a message carries; of a short one, the number next to the expected one that it may stand for. */
    static int seqOf(byte[] buffer, int offset, int length, int expected) {
        if (length >= Integer.BYTES) return (int) INT.get(buffer, offset);
        int carried = 0;
        for (int i = 0; i < length; i++) carried |= (buffer[offset + i] & 0xff) << 8 * i;
        int unused = Integer.SIZE - 8 * length;
        int distance = length == 0 ? 0 : (carried - expected) << unused >> unused;
        return Math.max(0, expected + distance);
    }

    /** Compare a message with the one that was sent: its header and its edges, or every byte. */
    static int check(byte[] buffer, int offset, int length, int seq, int sender, int bytes, boolean whole) {
        if (length != bytes) return Status.WRONG_LENGTH;
        int head = Math.min(bytes, HEADER_BYTES);
        boolean same = sameHeader(buffer, offset, head, seq, sender, bytes);
        int edge = whole ? head : Math.max(head, bytes - EDGE_BYTES);
        same &= Arrays.equals(buffer, offset + edge, offset + bytes, PATTERN, edge, bytes);
        int start = Math.min(bytes, EDGE_BYTES);
        if (start > head) same &= Arrays.equals(buffer, offset + head, offset + start, PATTERN, head, start);
        return same ? Status.GOOD : Status.WRONG_BYTES;
    }

    private static boolean sameHeader(byte[] buffer, int offset, int head, int seq, int sender, int bytes) {
        if (head < HEADER_BYTES) return Arrays.equals(buffer, offset, offset + head, header(seq, sender, bytes), 0, head);
        return (int) INT.get(buffer, offset) == seq
                && (int) INT.get(buffer, offset + SENDER_AT) == sender
                && (int) INT.get(buffer, offset + LENGTH_AT) == bytes;
    }

    /** Return a copy that looks as if another member had sent it. */
    static byte[] asSentBy(byte[] buffer, int sender) {
        byte[] copy = buffer.clone();
        for (int i = SENDER_AT; i < Math.min(KIND_AT, copy.length); i++) copy[i] = (byte) (sender >> 8 * (i - SENDER_AT));
        return copy;
    }
}
