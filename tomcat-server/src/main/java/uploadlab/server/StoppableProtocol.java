package uploadlab.server;

import java.util.concurrent.locks.ReentrantLock;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * HTTP/1.1 that can end connections between two requests while others are finished. Tomcat's own
 * pause keeps them all open, and drops what a client sends on one of them.
 */
public final class StoppableProtocol extends Http11NioProtocol {

  /** Accepts no connection any more; of those there are, every request is the last one. */
  void refuseConnections() {
    setMaxKeepAliveRequests(1);
    closeServerSocketGraceful();
  }

  /** Closes the connections on which no request has begun; returns whether any other is left. */
  boolean closeIdle() {
    boolean busy = false;
    for (SocketWrapperBase<?> connection : getEndpoint().getConnections()) {
      ReentrantLock lock = connection.getLock();
      if (!lock.tryLock()) {
        busy = true; // a request is being handled
        continue;
      }
      try {
        if (connection.getCurrentProcessor() == null) {
          connection.close();
        } else {
          busy = true; // a part of a head has come
        }
      } finally {
        lock.unlock();
      }
    }
    return busy;
  }
}
