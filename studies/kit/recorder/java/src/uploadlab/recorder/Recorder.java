package uploadlab.recorder;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Records what a part of a measured system sees: 24-byte rows in a NumPy file on a memory file system. A clock read and a
 * store a record; no system call, no lock, no allocation. Threads may share a recorder.
 */
public final class Recorder implements AutoCloseable {
    private static final int ROW_BYTES = 24;
    private static final int HEADER_BYTES = 256;
    private static final int MAGIC_BYTES = 10;

    /** A mapping of Java's ends at 2 GiB. */
    private static final long MOST_ROWS = (Integer.MAX_VALUE - HEADER_BYTES) / ROW_BYTES;

    private static final VarHandle LAST_WORD =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final AtomicIntegerFieldUpdater<Recorder> AT =
            AtomicIntegerFieldUpdater.newUpdater(Recorder.class, "at");
    private static final AtomicLongFieldUpdater<Recorder> LOST =
            AtomicLongFieldUpdater.newUpdater(Recorder.class, "lost");

    private final FileChannel file;
    private final MappedByteBuffer rows;
    private final int end;
    private volatile int at = HEADER_BYTES;
    private volatile long lost;

    private Recorder(FileChannel file, MappedByteBuffer rows) {
        this.file = file;
        this.rows = rows;
        this.end = rows.capacity();
        link();
    }

    /** Make the file, which must not be there, with room for so many rows, all of them touched. */
    public static Recorder open(Path path, long capacity) throws IOException {
        if (capacity < 0 || capacity > MOST_ROWS) {
            throw new IllegalArgumentException(
                    path + ": room for " + capacity + " records cannot be made: expected 0 to " + MOST_ROWS + ".");
        }
        FileChannel file = FileChannel.open(path, CREATE_NEW, READ, WRITE);
        try {
            return new Recorder(file, mapped(file, capacity));
        } catch (IOException error) { // a file without rows is of no use to anybody, and fills the memory
            file.close();
            Files.delete(path);
            throw new IllegalStateException(
                    path + ": room for " + capacity + " records cannot be made: " + error.getMessage() + ".", error);
        }
    }

    private static MappedByteBuffer mapped(FileChannel file, long capacity) throws IOException {
        long bytes = HEADER_BYTES + capacity * ROW_BYTES;
        // Written, not sparse: a full memory file system is an error now instead of a signal later.
        ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
        for (long written = 0; written < bytes; ) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - written));
            written += file.write(zeros, written);
        }
        MappedByteBuffer rows = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
        rows.load();
        rows.order(ByteOrder.LITTLE_ENDIAN);
        rows.put(0, header(capacity));
        return rows;
    }

    /** Store a row and take it back: Java links what stores it at its first use, which takes a millisecond. */
    private void link() {
        record(Kind.DUE, Status.GOOD, 0, 0, 0, 0);
        takeBack();
    }

    /** Take back all that was recorded, as after a warm-up that ran the measured code; no thread may be recording. */
    public void takeBack() {
        for (int row = HEADER_BYTES, behind = at; row < behind; row += ROW_BYTES) {
            for (int word = row; word < row + ROW_BYTES; word += Long.BYTES) rows.putLong(word, 0);
        }
        at = HEADER_BYTES;
        lost = 0;
    }

    /** Record something now; return the time, on System.nanoTime's clock, which is Linux's CLOCK_MONOTONIC. */
    public long record(Kind kind, int status, int stream, int op, int seq, int bytes) {
        long timeNs = System.nanoTime();
        recordAt(timeNs, kind, status, stream, op, seq, bytes);
        return timeNs;
    }

    /** Record something at a time that was read already. */
    public void recordAt(long timeNs, Kind kind, int status, int stream, int op, int seq, int bytes) {
        int row;
        do {
            row = at;
            if (row == end) {
                LOST.incrementAndGet(this);
                return;
            }
        } while (!AT.compareAndSet(this, row, row + ROW_BYTES));
        rows.putLong(row, timeNs);
        rows.putInt(row + 8, seq);
        rows.putInt(row + 12, bytes);
        rows.putShort(row + 16, (short) stream);
        rows.putShort(row + 18, (short) op);
        // The kind is stored last: a process that is killed in between leaves a row that counts as not written.
        LAST_WORD.setRelease((ByteBuffer) rows, row + 20, kind.number() | (status & 0xff) << 8);
    }

    /** Return how many rows found the file full. */
    public long lost() {
        return lost;
    }

    /** Write the true number of rows into the header and cut the file. */
    @Override
    public void close() throws IOException {
        rows.put(0, header((at - HEADER_BYTES) / ROW_BYTES));
        file.truncate(at);
        file.close();
    }

    /** NumPy's format 1.0: magic, version, length of the rest of the header, a Python dictionary, blanks, a line feed. */
    private static byte[] header(long rows) {
        byte[] header = new byte[HEADER_BYTES];
        Arrays.fill(header, (byte) ' ');
        byte[] magic = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) (HEADER_BYTES - MAGIC_BYTES), 0};
        byte[] text = ("{'descr': [('time_ns', '<i8'), ('seq', '<u4'), ('bytes', '<u4'), ('stream', '<u2'), "
                        + "('op', '<u2'), ('kind', '|u1'), ('status', '|u1'), ('spare', '<u2')], "
                        + "'fortran_order': False, 'shape': (" + rows + ",), }")
                .getBytes(ISO_8859_1);
        System.arraycopy(magic, 0, header, 0, magic.length);
        System.arraycopy(text, 0, header, MAGIC_BYTES, text.length);
        header[HEADER_BYTES - 1] = '\n';
        return header;
    }
}
