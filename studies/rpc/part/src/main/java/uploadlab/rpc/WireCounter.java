package uploadlab.rpc;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what connections to the server carry in each direction: a relay in this process that passes bytes on as they come.
 * Counted is TCP's stream, which is all that a library sends; the headers of TCP and IP are the kernel's.
 */
final class WireCounter implements Closeable {
    private static final int MOST_BYTES = 1 << 16;

    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    /** What the client sent and received. */
    record Bytes(long sent, long received) {
        Bytes plus(Bytes more) {
            return new Bytes(sent + more.sent, received + more.received);
        }
    }

    WireCounter(InetSocketAddress server) throws IOException {
        this.server = server;
        // By number, as the lab's addresses are: HTTP sends the host's name along.
        this.listening = new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1"));
        Relay.daemon(this::accept);
    }

    /** Return where the server is called so that its bytes are counted. */
    InetSocketAddress address() {
        return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
    }

    /** Make a call and return what was passed on until it was answered. */
    Bytes of(Runnable call) {
        long sentBefore = sent.get();
        long receivedBefore = received.get();
        call.run();
        return new Bytes(sent.get() - sentBefore, received.get() - receivedBefore);
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket to = new Socket(server.getAddress(), server.getPort());
            client.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
            Relay.daemon(() -> passOn(client, to, sent));
            Relay.daemon(() -> passOn(to, client, received));
        }
    }

    /** Bytes are counted before they are passed on, so those of an answer are when the call returns. */
    private static void passOn(Socket from, Socket to, AtomicLong counted) throws IOException {
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[MOST_BYTES];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                counted.addAndGet(count);
                out.write(buffer, 0, count);
            }
        }
    }
}
