import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Sends one ready request again and again over a few connections, as cheaply as it can: one thread, one buffer
 * outside the heap that all connections send. For each line "PORT REQUEST_FILE UPLOADS CONNECTIONS" it answers "ELAPSED_NS", or ends with a sentence.
 */
final class Generator {
  private static final int ANSWER_BYTES = 64 * 1024;

  private final InetSocketAddress server;
  private final ByteBuffer request;
  private final Selector selector;
  private long toStart;
  private long toFinish;

  private Generator(int port, ByteBuffer request, Selector selector, long uploads) {
    this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.request = request;
    this.selector = selector;
    toStart = uploads;
    toFinish = uploads;
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      String[] words = order.split(" ");
      try (Selector selector = Selector.open()) {
        byte[] content = Files.readAllBytes(Path.of(words[1]));
        ByteBuffer request = ByteBuffer.allocateDirect(content.length).put(content).flip();
        long uploads = Long.parseLong(words[2]);
        System.out.println(
            new Generator(Integer.parseInt(words[0]), request, selector, uploads).send(Integer.parseInt(words[3])));
      } catch (IOException | UncheckedIOException e) {
        System.err.println("The generator could not go on: " + e.getMessage());
        System.exit(1);
      }
    }
  }

  private long send(int connections) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < connections; i++) {
      new Connection().next();
    }
    while (toFinish > 0) {
      selector.select(
          key -> {
            try {
              ((Connection) key.attachment()).proceed(key);
            } catch (IOException e) {
              throw new UncheckedIOException(e.getMessage(), e);
            }
          });
    }
    long elapsed = System.nanoTime() - start;
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    return elapsed;
  }

  /** One connection: a request goes out, its answer comes back, the next one. */
  private final class Connection {
    private final ByteBuffer toSend = request.duplicate();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES);
    private SocketChannel socket;
    private SelectionKey key;

    Connection() throws IOException {
      open();
    }

    private void open() throws IOException {
      socket = SocketChannel.open(server);
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      socket.configureBlocking(false);
      key = socket.register(selector, SelectionKey.OP_READ, this);
    }

    void next() throws IOException {
      if (toStart == 0) {
        return;
      }
      toStart--;
      toSend.rewind();
      go();
    }

    private void go() throws IOException {
      socket.write(toSend);
      key.interestOps(
          toSend.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }

    void proceed(SelectionKey ready) throws IOException {
      if (ready.isReadable()) {
        receive();
      } else if (ready.isWritable()) {
        go();
      }
    }

    private void receive() throws IOException {
      if (socket.read(answer) < 0) {
        throw new IOException("the server closed a connection");
      }
      String text = StandardCharsets.ISO_8859_1.decode(answer.duplicate().flip()).toString();
      int body = text.indexOf("\r\n\r\n") + 4;
      if (body < 4) {
        return;
      }
      String head = text.substring(0, body).toLowerCase(Locale.ROOT);
      if (!head.startsWith("http/1.1 200 ") || toSend.hasRemaining()) {
        throw new IOException("the server answered " + text.lines().findFirst().orElseThrow());
      }
      int start = head.indexOf("\r\ncontent-length:") + "\r\ncontent-length:".length();
      int length = Integer.parseInt(head.substring(start, head.indexOf('\r', start)).strip());
      if (text.length() < body + length) {
        return;
      }
      answer.clear();
      toFinish--;
      if (head.contains("\r\nconnection: close")) {
        socket.close();
        open();
      }
      next();
    }
  }
}
