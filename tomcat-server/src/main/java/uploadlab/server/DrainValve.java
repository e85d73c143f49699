package uploadlab.server;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * After an error answer, reads and drops what the client still sends. To close with unread bytes
 * would reset the connection, and a client that reads only after sending would never see the
 * answer. Once an answer is complete Tomcat lets a servlet read no more, so it is done here.
 */
public final class DrainValve extends ValveBase {
  private long maxDrainBytes;

  /** Called by Tomcat, as conf/server.xml asks. */
  public DrainValve() {
    super(true);
  }

  /**
   * Sets how much is read at most.
   *
   * @param maxDrainBytes bytes of the body, without transfer coding
   */
  public void setMaxDrainBytes(long maxDrainBytes) {
    this.maxDrainBytes = maxDrainBytes;
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    getNext().invoke(request, response);
    if (response.getStatus() >= 400) {
      drain(request.getCoyoteRequest());
      // What was not drained is not waited for a second time.
      request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
    }
  }

  private void drain(org.apache.coyote.Request request) {
    boolean awaitsContinue = request.hasExpectation() && request.getBytesRead() == 0;
    if (awaitsContinue || request.getErrorException() != null) {
      return;
    }
    Received received = new Received();
    long drained = 0;
    try {
      while (drained < maxDrainBytes) {
        int read = request.doRead(received);
        if (read < 0) {
          return;
        }
        drained += read;
      }
    } catch (IOException e) {
      // The client went, stalled or sent an invalid transfer coding; it has had its answer.
      container.getLogger().debug("request not drained", e);
    }
  }

  /** Where Tomcat puts what it has read; nobody looks at it. */
  private static final class Received implements ApplicationBufferHandler {
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
