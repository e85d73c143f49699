package uploadlab.server;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * Manners of a connection that Tomcat leaves open: a body may not come too slowly, and an error is
 * answered so that the client can read it.
 *
 * <p>After an error answer, reads and drops what the client still sends. To close with unread bytes
 * would reset the connection, and a client that reads only after sending would never see the
 * answer. Once an answer is complete Tomcat lets a servlet read no more, so it is done here.
 */
public final class ConnectionValve extends ValveBase {
  private long maxDrainBytes;
  private int idleTimeoutMs;
  private long minBodyBytesPerS;

  /** Called by Tomcat, as conf/server.xml asks. */
  public ConnectionValve() {
    super(true);
  }

  /**
   * Sets how much is read at most after an error.
   *
   * @param maxDrainBytes bytes of the body, without transfer coding
   */
  public void setMaxDrainBytes(long maxDrainBytes) {
    this.maxDrainBytes = maxDrainBytes;
  }

  /**
   * Sets how long a body may come as slowly as it likes.
   *
   * @param idleTimeoutMs time spent waiting for it
   */
  public void setIdleTimeoutMs(int idleTimeoutMs) {
    this.idleTimeoutMs = idleTimeoutMs;
  }

  /**
   * Sets how fast a body must come on average after that time.
   *
   * @param minBodyBytesPerS bytes a second, 0 for any
   */
  public void setMinBodyBytesPerS(long minBodyBytesPerS) {
    this.minBodyBytesPerS = minBodyBytesPerS;
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    org.apache.coyote.Request received = request.getCoyoteRequest();
    if (received.protocol().getLength() == 0 && response.getStatus() < 400) {
      // HTTP/0.9: Tomcat would answer without a head, which no client of today understands.
      received.action(ActionCode.CLOSE_NOW, null);
      return;
    }
    if (minBodyBytesPerS > 0) {
      restartPace(received);
    }
    getNext().invoke(request, response);
    if (response.getStatus() >= 400) {
      drain(received);
      // What was not drained is not waited for a second time.
      received.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
    } else if (!isRead(received)) {
      // Tomcat would wait for the rest of a body that nobody asked for, however slowly it comes.
      response.finishResponse();
      if (!drain(received)) {
        received.action(ActionCode.CLOSE_NOW, null);
      }
    }
  }

  /** An input buffer serves all requests of a connection, and is used again for other ones. */
  private void restartPace(org.apache.coyote.Request received) {
    if (received.getInputBuffer() instanceof PacedInput paced) {
      paced.restart();
    } else {
      received.setInputBuffer(
          new PacedInput(received.getInputBuffer(), idleTimeoutMs, minBodyBytesPerS));
    }
  }

  private static boolean isRead(org.apache.coyote.Request received) {
    AtomicBoolean read = new AtomicBoolean();
    received.action(ActionCode.REQUEST_BODY_FULLY_READ, read);
    return read.get();
  }

  /** Returns whether the body was read to its end, or will never be sent. */
  private boolean drain(org.apache.coyote.Request received) {
    boolean awaitsContinue = received.hasExpectation() && received.getBytesRead() == 0;
    if (awaitsContinue || received.getErrorException() != null) {
      return false;
    }
    Dropped dropped = new Dropped();
    long drained = 0;
    try {
      while (drained < maxDrainBytes) {
        int read = received.doRead(dropped);
        if (read < 0) {
          return true;
        }
        drained += read;
      }
    } catch (IOException e) {
      // The client went, stalled or sent an invalid transfer coding; it has had its answer.
      container.getLogger().debug("request not drained", e);
    }
    return false;
  }

  /** Where Tomcat puts what it has read; nobody looks at it. */
  private static final class Dropped implements ApplicationBufferHandler {
    private ByteBuffer buffer;

    @Override
    public void setByteBuffer(ByteBuffer received) {
      buffer = received;
    }

    @Override
    public ByteBuffer getByteBuffer() {
      return buffer;
    }

    @Override
    public void expand(int size) {
      // Tomcat's own buffer is handed over, it does not grow.
    }
  }
}
