import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;

/**
 * The least work for the same bytes, to compare servers with: one blocking thread a connection, one buffer outside the
 * heap that the kernel fills and empties, no checks, no limits, no hidden names, only what the generator sends. "raw"
 * stores the whole body; "parse" stores the file out of the form.
 */
final class Floor {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int BACKLOG = 511;
  private static final byte[] END_OF_HEADERS = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String LENGTH = "\r\ncontent-length: ";
  private static final String BOUNDARY = "boundary=";

  private final Path folder;
  private final boolean parse;
  private final byte[] answer;

  private Floor(Path folder, boolean parse, byte[] answer) {
    this.folder = folder;
    this.parse = parse;
    this.answer = answer;
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("versions")) {
      System.out.printf("{\"Java\": \"%s\"}%n", System.getProperty("java.version"));
      return;
    }
    byte[] page = Files.readAllBytes(Path.of(arguments[1]));
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + page.length + "\r\n\r\n";
    byte[] answer = Arrays.copyOf(head.getBytes(StandardCharsets.US_ASCII), head.length() + page.length);
    System.arraycopy(page, 0, answer, head.length(), page.length);
    Floor floor = new Floor(Path.of(System.getenv("UPLOAD_DIR")), arguments[0].equals("parse"), answer);
    int port = Integer.parseInt(System.getenv("PORT"));
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(System.getenv("HOST"), port), BACKLOG);
      for (; ; ) {
        SocketChannel socket = server.accept();
        new Thread(() -> floor.serve(socket)).start();
      }
    }
  }

  private void serve(SocketChannel socket) {
    try (socket) {
      new Connection(socket).serve();
    } catch (EOFException e) {
      return; // the client has gone, as it does when it has sent all it wanted
    } catch (IOException e) {
      System.err.println(e);
    }
  }

  /** One connection with its buffer; between position and limit is what was received and not used yet. */
  private final class Connection {
    private final SocketChannel socket;
    private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
    private final ByteBuffer page = ByteBuffer.allocateDirect(answer.length).put(answer);

    Connection(SocketChannel socket) throws IOException {
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      this.socket = socket;
    }

    void serve() throws IOException {
      for (; ; ) {
        String head = head();
        if (head.startsWith("post ")) {
          try (FileChannel file = newFile()) {
            store(head, file);
          }
        }
        write(page.rewind(), socket);
      }
    }

    private FileChannel newFile() throws IOException {
      Path path = folder.resolve(UUID.randomUUID().toString());
      return FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** The next headers, in lower case; boundaries are expected to be so, too. */
    private String head() throws IOException {
      byte[] head = new byte[await(END_OF_HEADERS) - received.position()];
      received.get(head).position(received.position() + END_OF_HEADERS.length);
      return new String(head, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    private void store(String head, FileChannel file) throws IOException {
      long length = Long.parseLong(value(head, LENGTH));
      if (!parse) {
        take(length, file);
        return;
      }
      byte[] delimiter = ("\r\n--" + value(head, BOUNDARY).split(";", 2)[0]).getBytes(StandardCharsets.ISO_8859_1);
      int content = await(END_OF_HEADERS) + END_OF_HEADERS.length;
      long left = length - (content - received.position());
      received.position(content);
      take(left - takeUpTo(delimiter, file), null);
    }

    private static String value(String head, String name) {
      int start = head.indexOf(name) + name.length();
      int end = head.indexOf('\r', start);
      return end < 0 ? head.substring(start) : head.substring(start, end);
    }

    private void fill() throws IOException {
      received.compact();
      if (socket.read(received) < 0) {
        throw new EOFException();
      }
      received.flip();
    }

    /** Where the bytes begin, reading until they are there. */
    private int await(byte[] bytes) throws IOException {
      int[] shifts = shifts(bytes);
      for (; ; ) {
        int found = find(bytes, shifts);
        if (found >= 0) {
          return found;
        }
        fill();
      }
    }

    /** Writes what comes before the delimiter to the file; returns how many bytes that was. */
    private long takeUpTo(byte[] delimiter, FileChannel file) throws IOException {
      int[] shifts = shifts(delimiter);
      long total = 0;
      for (; ; ) {
        int found = find(delimiter, shifts);
        // What may be the beginning of the delimiter waits; a little is not worth a write of its own.
        boolean full = received.remaining() > BUFFER_BYTES / 2;
        int end = found >= 0 ? found : full ? received.limit() - delimiter.length + 1 : received.position();
        total += end - received.position();
        takeTo(end, file);
        if (found >= 0) {
          return total;
        }
        fill();
      }
    }

    /** Writes that many bytes to the file, or drops them without one. */
    private void take(long count, FileChannel file) throws IOException {
      for (long left = count; ; fill()) {
        int here = (int) Math.min(left, received.remaining());
        takeTo(received.position() + here, file);
        left -= here;
        if (left == 0) {
          return;
        }
      }
    }

    private void takeTo(int end, FileChannel file) throws IOException {
      int limit = received.limit();
      if (file != null && end > received.position()) {
        write(received.limit(end), file);
      }
      received.limit(limit).position(end);
    }

    private static void write(ByteBuffer bytes, java.nio.channels.WritableByteChannel to) throws IOException {
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
    }

    /** Horspool's table: how far the search may go on when it stands on a byte that does not fit. */
    private static int[] shifts(byte[] bytes) {
      int[] shifts = new int[256];
      Arrays.fill(shifts, bytes.length);
      for (int i = 0; i < bytes.length - 1; i++) {
        shifts[bytes[i] & 0xff] = bytes.length - 1 - i;
      }
      return shifts;
    }

    private int find(byte[] bytes, int[] shifts) {
      int last = bytes.length - 1;
      for (int i = received.position() + last; i < received.limit(); i += shifts[received.get(i) & 0xff]) {
        int matched = 0;
        while (matched <= last && received.get(i - matched) == bytes[last - matched]) {
          matched++;
        }
        if (matched > last) {
          return i - last;
        }
      }
      return -1;
    }
  }
}
