package uploadlab.server;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.apache.coyote.InputBuffer;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * The body of a request as Tomcat reads it, given up when it comes too slowly: a thread waits for
 * it, and a few hundred clients that send a byte now and then would have them all.
 */
final class PacedInput implements InputBuffer {
  private final InputBuffer source;
  private final long idleTimeoutNs;
  private final long minBytesPerS;
  private long waitedNs;
  private long receivedBytes;

  /**
   * Wraps the input of one connection.
   *
   * @param source where the bytes come from
   * @param idleTimeoutMs how long a body may come as slowly as it likes
   * @param minBytesPerS how fast it must come on average after that
   */
  PacedInput(InputBuffer source, int idleTimeoutMs, long minBytesPerS) {
    this.source = source;
    this.idleTimeoutNs = TimeUnit.MILLISECONDS.toNanos(idleTimeoutMs);
    this.minBytesPerS = minBytesPerS;
  }

  /** Begins with the body of the next request. */
  void restart() {
    waitedNs = 0;
    receivedBytes = 0;
  }

  @Override
  public int doRead(ApplicationBufferHandler handler) throws IOException {
    long began = System.nanoTime();
    int read = source.doRead(handler);
    waitedNs += System.nanoTime() - began;
    receivedBytes += Math.max(read, 0);
    if (read >= 0 && isTooSlow()) {
      throw new SocketTimeoutException("The body comes too slowly.");
    }
    return read;
  }

  @Override
  public int available() {
    return source.available();
  }

  private boolean isTooSlow() {
    return waitedNs > idleTimeoutNs
        && (waitedNs - idleTimeoutNs) / 1e9 * minBytesPerS > receivedBytes;
  }
}
