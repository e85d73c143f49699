package uploadlab.lean;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One request as it goes out: its bytes, ready, cut into the pieces that are written one at a time.
 *
 * <p>JMeter copies a file 4 KiB at a time into a buffer of 8 KiB that already holds the heads, and writes that buffer when
 * the next 4 KiB don't fit; the closing boundary is a write of its own. With {@code writeBytes} of 8192 the pieces are the
 * same.
 */
final class Upload {
    private static final int LARGEST_BUFFERED_FILE = 64 * 1024;

    private final List<ByteBuffer> pieces = new ArrayList<>();
    private final long bytes;

    /** Makes the request from its head, its tail and the file in between; {@code writeBytes} 0: as few writes as can be. */
    Upload(byte[] head, Path file, byte[] tail, int writeBytes) throws IOException {
        try (var channel = FileChannel.open(file)) {
            long size = channel.size();
            bytes = head.length + size + tail.length;
            if (size <= LARGEST_BUFFERED_FILE) {
                cutSmall(head, channel, tail, writeBytes);
            } else {
                cutLarge(head, channel, tail, writeBytes);
            }
        }
    }

    private void cutSmall(byte[] head, FileChannel file, byte[] tail, int writeBytes) throws IOException {
        int size = Math.toIntExact(file.size());
        var all = ByteBuffer.allocateDirect(head.length + size + tail.length).put(head);
        while (all.position() < head.length + size) {
            if (file.read(all.slice(all.position(), head.length + size - all.position())) < 0) {
                throw new IOException("the file became shorter while it was read");
            }
            all.position(Math.toIntExact(head.length + file.position()));
        }
        all.put(tail);
        if (writeBytes == 0) {
            pieces.add(all.flip());
            return;
        }
        int first = head.length + Math.min(size, writeBytes / 2);
        pieces.add(all.slice(0, first));
        cut(all.slice(first, head.length + size - first), writeBytes);
        pieces.add(all.slice(head.length + size, tail.length));
    }

    private void cutLarge(byte[] head, FileChannel file, byte[] tail, int writeBytes) throws IOException {
        var mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).load();
        int withHead = writeBytes == 0 ? 0 : Math.min(mapped.capacity(), writeBytes / 2);
        var first = ByteBuffer.allocateDirect(head.length + withHead);
        pieces.add(first.put(head).put(mapped.slice(0, withHead)).flip());
        cut(mapped.slice(withHead, mapped.capacity() - withHead), writeBytes);
        pieces.add(ByteBuffer.allocateDirect(tail.length).put(tail).flip());
    }

    private void cut(ByteBuffer content, int writeBytes) {
        int step = writeBytes == 0 ? content.capacity() : writeBytes;
        for (int from = 0; from < content.capacity(); from += step) {
            pieces.add(content.slice(from, Math.min(step, content.capacity() - from)));
        }
    }

    /** Returns how many pieces there are. */
    int pieces() {
        return pieces.size();
    }

    /** Returns a piece, to be read from its beginning. */
    ByteBuffer piece(int number) {
        return pieces.get(number).duplicate();
    }

    /** Returns the size of the whole request, its head included. */
    long bytes() {
        return bytes;
    }

    /** Returns text as it is sent. */
    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
