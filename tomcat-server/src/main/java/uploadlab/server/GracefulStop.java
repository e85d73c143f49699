package uploadlab.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;

/**
 * What the signal to stop does: no new requests, those in flight are finished or, after a while,
 * cut; exit code 0.
 */
final class GracefulStop implements Runnable {
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
      for (Connector connector : service.findConnectors()) {
        connector.pause();
        connector.getProtocolHandler().closeServerSocketGraceful();
      }
      awaitRequests();
      // Before the web application: a request that is cut still has to remove its files.
      for (Connector connector : service.findConnectors()) {
        connector.stop();
      }
      service.getServer().stop();
      removeTemporaryBase();
    } catch (LifecycleException | IOException e) {
      System.err.println("Tomcat was not stopped cleanly: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // A virtual machine that ends by a signal would exit with 143.
    Runtime.getRuntime().halt(0);
  }

  private void awaitRequests() throws InterruptedException {
    InFlightRequests inFlight =
        Arrays.stream(service.getContainer().getPipeline().getValves())
            .filter(InFlightRequests.class::isInstance)
            .map(InFlightRequests.class::cast)
            .findFirst()
            .orElseThrow();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMs);
    while (inFlight.count() > 0 && System.nanoTime() < deadline) {
      Thread.sleep(POLL_MS);
    }
  }

  private static void removeTemporaryBase() throws IOException {
    String base = System.getProperty("uploadlab.temporary.base");
    if (base == null) {
      return;
    }
    try (Stream<Path> below = Files.walk(Path.of(base))) {
      for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
