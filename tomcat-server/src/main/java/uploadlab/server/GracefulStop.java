package uploadlab.server;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;

/**
 * What the signal to stop does: no new requests, those in flight are finished or, after a while,
 * cut; exit code 0.
 */
final class GracefulStop implements Runnable {
  /** Set in the servlet context when every answer is the last one of its connection. */
  private static final String STOPPING = "uploadlab.stopping";

  private static final long POLL_MS = 10;

  private final Service service;
  private final int graceMs;

  GracefulStop(Service service, int graceMs) {
    this.service = service;
    this.graceMs = graceMs;
  }

  @Override
  public void run() {
    try {
      Connector connector = service.findConnectors()[0];
      lastAnswers();
      awaitRequests((StoppableProtocol) connector.getProtocolHandler());
      // Before the web application: a request that is cut still has to remove its files.
      connector.stop();
      service.getServer().stop();
      TemporaryBase.remove();
    } catch (LifecycleException | IOException e) {
      System.err.println("Tomcat was not stopped cleanly: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // A virtual machine that ends by a signal would exit with 143.
    Runtime.getRuntime().halt(0);
  }

  /** An answer is sent before it comes back to a valve: the application itself has to say it. */
  private void lastAnswers() {
    for (Container host : service.getContainer().findChildren()) {
      Context application = (Context) host.findChild("");
      application.getServletContext().setAttribute(STOPPING, true);
    }
  }

  private void awaitRequests(StoppableProtocol protocol) throws InterruptedException {
    protocol.refuseConnections();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMs);
    while (protocol.closeIdle() && System.nanoTime() < deadline) {
      Thread.sleep(POLL_MS);
    }
  }
}
