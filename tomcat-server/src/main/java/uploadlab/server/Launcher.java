package uploadlab.server;

import java.io.IOException;
import java.net.BindException;
import java.util.concurrent.CountDownLatch;
import org.apache.catalina.Container;
import org.apache.catalina.Host;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Catalina;

/**
 * Starts the standard Tomcat that the system properties catalina.home and catalina.base point to,
 * says when it is ready and stops it gracefully. Tomcat's own Bootstrap would print stack traces,
 * say nothing when ready and exit with 143.
 */
public final class Launcher {
  private static final int EXIT_IMPOSSIBLE = 2;

  private Launcher() {}

  /**
   * Runs the server until it is told to stop.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) throws InterruptedException {
    Configuration configuration = null;
    Service service = null;
    try {
      configuration = Configuration.of(System.getenv(), Runtime.version().feature());
      service = start();
    } catch (Configuration.InvalidException e) {
      giveUp(e.getMessage());
    } catch (LifecycleException e) {
      giveUp(sentence(e, configuration));
    }
    Connector connector = service.findConnectors()[0];
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(new GracefulStop(service, configuration.stopGraceMs()), "stop"));
    System.out.println(
        "listening on http://" + configuration.host() + ":" + connector.getLocalPort());
    // Tomcat's own threads are daemons.
    new CountDownLatch(1).await();
  }

  private static Service start() throws LifecycleException {
    Catalina catalina = new Catalina();
    catalina.setUseShutdownHook(false);
    catalina.load();
    if (catalina.getServer() == null) {
      throw new LifecycleException("conf/server.xml can't be read.");
    }
    catalina.getServer().start();
    Service service = catalina.getServer().findServices()[0];
    for (Container host : service.getContainer().findChildren()) {
      requireApplication((Host) host);
    }
    return service;
  }

  private static void requireApplication(Host host) throws LifecycleException {
    Container application = host.findChild("");
    if (application == null || !application.getState().isAvailable()) {
      throw new LifecycleException("The web application did not start.");
    }
  }

  private static String sentence(LifecycleException failure, Configuration configuration) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    if (cause instanceof BindException) {
      return "Can't listen on "
          + configuration.host()
          + ":"
          + configuration.port()
          + ": "
          + reason
          + ".";
    }
    return "Tomcat could not be started: " + reason;
  }

  private static void giveUp(String sentence) {
    System.err.println(sentence);
    try {
      TemporaryBase.remove();
    } catch (IOException e) {
      System.err.println("A temporary folder could not be removed: " + e);
    }
    System.exit(EXIT_IMPOSSIBLE);
  }
}
