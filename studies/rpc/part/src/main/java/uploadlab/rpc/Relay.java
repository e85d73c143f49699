package uploadlab.rpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import uploadlab.recorder.Settings;

/**
 * The link `far`: passes bytes on between the client and the server, each 88 ms after it came, in order. So a call takes as
 * long as the paper's between São Paulo and Ohio at least took, 176 ms more than on one machine.
 */
public final class Relay {
    static final long ONE_WAY_NS = 88_000_000;
    private static final int MOST_BYTES = 1 << 16;

    /** Bytes that came, and when they are to be passed on; none: the sender has closed its side. */
    private record Held(long dueNs, byte[] bytes) {}

    private Relay() {}

    public static void main(String[] arguments) throws IOException {
        Settings settings = Settings.ofEnvironment();
        InetSocketAddress server = Part.address(settings.text("SERVER_ADDRESSES"));
        try (ServerSocket listening =
                new ServerSocket((int) settings.whole("RELAY_PORT"), 8, InetAddress.getByName(settings.text("HOST")))) {
            while (true) {
                Socket client = listening.accept();
                daemon(() -> relay(client, server));
            }
        }
    }

    /** The server hears of a connection with its first byte: asking whether the relay listens is no call. */
    private static void relay(Socket client, InetSocketAddress address) throws IOException {
        client.setTcpNoDelay(true);
        int first = client.getInputStream().read();
        if (first < 0) {
            client.close();
            return;
        }
        Socket server = new Socket(address.getAddress(), address.getPort());
        server.setTcpNoDelay(true);
        passOn(client, server, (byte) first);
        passOn(server, client);
    }

    private static void passOn(Socket from, Socket to, byte... begun) {
        BlockingQueue<Held> held = new LinkedBlockingQueue<>();
        if (begun.length > 0) held.add(new Held(System.nanoTime() + ONE_WAY_NS, begun));
        daemon(() -> receive(from.getInputStream(), held));
        daemon(() -> send(held, to));
    }

    private static void receive(InputStream from, BlockingQueue<Held> held) throws IOException {
        byte[] buffer = new byte[MOST_BYTES];
        try {
            for (int count = from.read(buffer); count > 0; count = from.read(buffer)) {
                held.add(new Held(System.nanoTime() + ONE_WAY_NS, Arrays.copyOf(buffer, count)));
            }
        } finally {
            held.add(new Held(System.nanoTime() + ONE_WAY_NS, new byte[0]));
        }
    }

    private static void send(BlockingQueue<Held> held, Socket to) throws IOException, InterruptedException {
        OutputStream out = to.getOutputStream();
        for (Held next = held.take(); next.bytes().length > 0; next = held.take()) {
            Part.sleepUntil(next.dueNs());
            out.write(next.bytes());
        }
        to.close();
    }

    private static void daemon(Part.Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception connectionIsGone) {
                // Its other side notices by itself.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
