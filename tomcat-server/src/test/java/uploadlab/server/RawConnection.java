package uploadlab.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A connection that sends exactly the bytes it is given. */
final class RawConnection implements Closeable {
  private static final int READ_TIMEOUT_MS = 30_000;

  private final Socket socket;
  private final InputStream input;

  RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(READ_TIMEOUT_MS);
    socket.setTcpNoDelay(true);
    input = new BufferedInputStream(socket.getInputStream());
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void send(byte[] bytes, int length) throws IOException {
    socket.getOutputStream().write(bytes, 0, length);
  }

  /** Sends, if the server still listens. */
  void trySend(String text) {
    try {
      send(text);
    } catch (IOException e) {
      // It has closed.
    }
  }

  /** Ends the sending half of the connection. */
  void finish() throws IOException {
    socket.shutdownOutput();
  }

  /** Closes with a reset instead of an orderly end. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Reads one answer to its last byte; 100 Continue is an answer. */
  Answer receive() throws IOException {
    int status = Integer.parseInt(line().split(" ")[1]);
    Map<String, String> headers = new HashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = input.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the answer is cut");
    }
    return new Answer(status, headers, body);
  }

  /** Whether the server closes without sending more. */
  boolean isClosedByServer() throws IOException {
    return input.read() < 0;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = input.read(); b != '\n'; b = input.read()) {
      if (b < 0) {
        throw new EOFException("closed after " + line.size() + " bytes of a line");
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.ISO_8859_1).trim();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
