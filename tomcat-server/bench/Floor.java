import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;

/**
 * The least work for the same bytes, to compare the server with: one blocking thread a connection, no checks, no
 * limits, no hidden names, only what wrk sends. "parse": the file out of the form straight to a file; "raw": the whole
 * body straight to a file.
 */
final class Floor {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final byte[] END_OF_HEADERS = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String LENGTH = "content-length: ";
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
    byte[] page = Files.readAllBytes(Path.of("src/main/resources/page.html"));
    byte[] head =
        ("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: "
                + page.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] answer = Arrays.copyOf(head, head.length + page.length);
    System.arraycopy(page, 0, answer, head.length, page.length);
    Path folder = Path.of(System.getenv("UPLOAD_DIR"));
    Floor floor = new Floor(folder, arguments[0].equals("parse"), answer);
    try (ServerSocket server = new ServerSocket(0, 511, InetAddress.getLoopbackAddress())) {
      System.out.println("listening on http://127.0.0.1:" + server.getLocalPort());
      for (; ; ) {
        Socket socket = server.accept();
        new Thread(() -> floor.serve(socket)).start();
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      new Connection(socket).serve();
    } catch (IOException e) {
      // The client has gone.
    }
  }

  /** One connection with its buffer; between head and tail is what was received and not used yet. */
  private final class Connection {
    private final InputStream input;
    private final OutputStream output;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int head;
    private int tail;

    Connection(Socket socket) throws IOException {
      socket.setTcpNoDelay(true);
      input = socket.getInputStream();
      output = socket.getOutputStream();
    }

    void serve() throws IOException {
      for (; ; ) {
        int end = await(END_OF_HEADERS);
        if (end < 0) {
          return;
        }
        String headers = new String(buffer, head, end - head, StandardCharsets.ISO_8859_1);
        head = end + END_OF_HEADERS.length;
        long length = Long.parseLong(value(headers, LENGTH));
        String boundary = value(headers, BOUNDARY);
        try (FileChannel file =
            FileChannel.open(
                folder.resolve(UUID.randomUUID().toString()),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
          if (parse) {
            int partHead = await(END_OF_HEADERS) + END_OF_HEADERS.length;
            length -= partHead - head;
            head = partHead;
            byte[] delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
            length -= copyUpTo(delimiter, file);
            skip(length);
          } else {
            copy(length, file);
          }
        }
        output.write(answer);
      }
    }

    private String value(String headers, String name) {
      int start = headers.toLowerCase().indexOf(name) + name.length();
      int end = headers.indexOf("\r\n", start);
      return headers.substring(start, end < 0 ? headers.length() : end);
    }

    private boolean fill() throws IOException {
      System.arraycopy(buffer, head, buffer, 0, tail - head);
      tail -= head;
      head = 0;
      int count = input.read(buffer, tail, buffer.length - tail);
      tail += Math.max(count, 0);
      return count > 0;
    }

    /** Where the bytes begin, reading until they are there; -1 when they don't come. */
    private int await(byte[] bytes) throws IOException {
      for (; ; ) {
        int found = find(bytes, shifts(bytes), head);
        if (found >= 0) {
          return found;
        }
        if (!fill()) {
          return -1;
        }
      }
    }

    private long copyUpTo(byte[] delimiter, FileChannel file) throws IOException {
      int[] shifts = shifts(delimiter);
      long total = 0;
      for (; ; ) {
        int found = find(delimiter, shifts, head);
        boolean full = tail - head == buffer.length || head > 0 && tail == buffer.length;
        int end = found >= 0 ? found : full ? tail - delimiter.length + 1 : head;
        if (end > head) {
          file.write(ByteBuffer.wrap(buffer, head, end - head));
          total += end - head;
          head = end;
        }
        if (found >= 0) {
          return total;
        }
        if (!fill()) {
          throw new IOException("cut");
        }
      }
    }

    private void copy(long length, FileChannel file) throws IOException {
      for (long left = length; left > 0; ) {
        int count = (int) Math.min(left, tail - head);
        file.write(ByteBuffer.wrap(buffer, head, count));
        head += count;
        left -= count;
        if (left > 0 && !fill()) {
          throw new IOException("cut");
        }
      }
    }

    private void skip(long length) throws IOException {
      long left = length;
      while (left > tail - head) {
        left -= tail - head;
        head = tail;
        if (!fill()) {
          throw new IOException("cut");
        }
      }
      head += (int) left;
    }

    private int[] shifts(byte[] bytes) {
      int[] shifts = new int[256];
      Arrays.fill(shifts, bytes.length);
      for (int i = 0; i < bytes.length - 1; i++) {
        shifts[bytes[i] & 0xff] = bytes.length - 1 - i;
      }
      return shifts;
    }

    private int find(byte[] bytes, int[] shifts, int start) {
      int last = bytes.length - 1;
      for (int i = start + last; i < tail; i += shifts[buffer[i] & 0xff]) {
        if (buffer[i] == bytes[last] && Arrays.equals(buffer, i - last, i, bytes, 0, last)) {
          return i - last;
        }
      }
      return -1;
    }
  }
}
