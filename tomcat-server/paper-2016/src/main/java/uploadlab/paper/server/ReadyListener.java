package uploadlab.paper.server;

import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;

/**
 * Prints the line the harness waits for, and ends with exit code 0 where a signal would make it
 * 143.
 */
public final class ReadyListener implements LifecycleListener {
  private static final int EXIT_IMPOSSIBLE = 2;

  @Override
  public void lifecycleEvent(LifecycleEvent event) {
    if (Lifecycle.AFTER_START_EVENT.equals(event.getType())) {
      Server server = (Server) event.getLifecycle();
      ready(server.findServices()[0].findConnectors()[0]);
    } else if (Lifecycle.AFTER_DESTROY_EVENT.equals(event.getType())) {
      Runtime.getRuntime().halt(0);
    }
  }

  private static void ready(Connector connector) {
    String address = System.getProperty("uploadlab.host");
    if (connector.getState() != LifecycleState.STARTED) {
      System.err.println("Can't listen on " + address + ":" + connector.getPort() + ".");
      Runtime.getRuntime().halt(EXIT_IMPOSSIBLE);
    }
    System.out.println("listening on http://" + address + ":" + connector.getLocalPort());
  }
}
