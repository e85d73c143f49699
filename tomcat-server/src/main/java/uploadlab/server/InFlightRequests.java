package uploadlab.server;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Counts the requests that are being handled, so that a stopping server can wait for them. */
public final class InFlightRequests extends ValveBase {
  private final AtomicInteger count = new AtomicInteger();

  /** Called by Tomcat, as conf/server.xml asks. */
  public InFlightRequests() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    count.incrementAndGet();
    try {
      getNext().invoke(request, response);
    } finally {
      count.decrementAndGet();
    }
  }

  int count() {
    return count.get();
  }
}
