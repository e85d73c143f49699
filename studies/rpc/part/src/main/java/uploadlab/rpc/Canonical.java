package uploadlab.rpc;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Arguments and answers as bytes: nothing for none, 8 bytes a long (big-endian), strings as UTF-8 after a 4-byte length,
 * lists after a 4-byte count. Answers are compared in this form, and {@link Plain} sends it.
 */
final class Canonical {
    private Canonical() {}

    static byte[] bytes(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            write(new DataOutputStream(bytes), value);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return bytes.toByteArray();
    }

    /** Read the argument of an operation; IOException where the bytes are too few or too many. */
    static Object argument(Operation operation, byte[] bytes) throws IOException {
        if (operation != Operation.EIGHT_LONGS) return answer(operation, bytes);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        long[] longs = new long[8];
        for (int i = 0; i < longs.length; i++) longs[i] = in.readLong();
        return ended(in, longs);
    }

    /** Read the answer of an operation; IOException where the bytes are too few or too many. */
    static Object answer(Operation operation, byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        return ended(in, switch (operation) {
            case VOID -> null;
            case SINGLE_LONG, EIGHT_LONGS -> in.readLong();
            case FOO -> foo(in);
            default -> text(in);
        });
    }

    private static void write(DataOutputStream out, Object value) throws IOException {
        if (value instanceof Long number) {
            out.writeLong(number);
        } else if (value instanceof long[] numbers) {
            for (long number : numbers) out.writeLong(number);
        } else if (value instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            out.writeInt(bytes.length);
            out.write(bytes);
        } else if (value instanceof Foo foo) {
            write(out, foo);
        } else if (value != null) {
            throw new IllegalArgumentException("No canonical form of " + value.getClass() + ".");
        }
    }

    private static void write(DataOutputStream out, Foo foo) throws IOException {
        out.writeLong(foo.id());
        write(out, foo.title());
        out.writeInt(foo.body().size());
        for (String text : foo.body()) write(out, text);
        out.writeInt(foo.authors().size());
        for (Foo.Author author : foo.authors()) {
            out.writeLong(author.id());
            write(out, author.name());
            write(out, author.surname());
        }
    }

    private static Foo foo(DataInputStream in) throws IOException {
        long id = in.readLong();
        String title = text(in);
        List<String> body = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) body.add(text(in));
        List<Foo.Author> authors = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) authors.add(new Foo.Author(in.readLong(), text(in), text(in)));
        return new Foo(id, title, body, authors);
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) throw new IOException("a string of " + length + " bytes");
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static Object ended(DataInputStream in, Object value) throws IOException {
        if (in.available() > 0) throw new IOException(in.available() + " bytes too many");
        return value;
    }
}
