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

import uploadlab.recorder.Conductor;
import uploadlab.recorder.Settings;

/**
 * The link `far`: passes bytes on between the client and the server, each 88 ms after it came, in order. So a call takes as
 * long as the paper's between São Paulo and Ohio at least took, 176 ms more than on one machine.
 */
public final class Relay {
    static final long ONE_WAY_NS = 88_000_000;
    private static final int MOST_BYTES = 1 << 16;

    /** After so many the JVM has compiled all that passing on takes (its last compiler asks for 5,000 invocations). */
    private static final int WARM_UP_EXCHANGES = 6_000;

    private static final int WARM_UP_BYTES = 64;

    /** Just enough for the relay to sleep: what it does only to sleep is to be warm, too. */
    private static final long WARM_UP_ONE_WAY_NS = 20_000;

    private final InetSocketAddress server;
    private final long oneWayNs;

    /** Bytes that came, and when they are to be passed on; none: the sender has closed its side. */
    private record Held(long dueNs, byte[] bytes) {}

    private Relay(InetSocketAddress server, long oneWayNs) {
        this.server = server;
        this.oneWayNs = oneWayNs;
    }

    /** Relay between the client and the server of a run; whoever finds the port listened on finds the relay warm. */
    public static void main(String[] arguments) throws IOException {
        Settings settings = Settings.ofEnvironment();
        Relay relay = new Relay(Part.address(settings.text("SERVER_ADDRESSES")), ONE_WAY_NS);
        // A helper is started for each link, also for that which needs none.
        if (settings.text("LINK", "far").equals("far")) warmUp();
        try (ServerSocket listening =
                new ServerSocket((int) settings.whole("RELAY_PORT"), 8, InetAddress.getByName(settings.text("HOST")))) {
            while (true) {
                Socket client = listening.accept();
                daemon(() -> relay.relay(client));
            }
        }
    }

    /** Pass short exchanges on with next to no delay, so that a far call waits for the distance and for no compiler here. */
    private static void warmUp() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket echoing = new ServerSocket(0, 1, here);
                ServerSocket listening = new ServerSocket(0, 1, here)) {
            Relay relay = new Relay(new InetSocketAddress(here, echoing.getLocalPort()), WARM_UP_ONE_WAY_NS);
            daemon(() -> echo(echoing));
            daemon(() -> relay.relay(listening.accept()));
            try (Socket client = new Socket(here, listening.getLocalPort())) {
                client.setTcpNoDelay(true);
                byte[] word = new byte[WARM_UP_BYTES];
                for (int i = 0; i < WARM_UP_EXCHANGES; i++) {
                    client.getOutputStream().write(word);
                    client.getInputStream().readNBytes(word, 0, word.length);
                }
            }
        }
    }

    private static void echo(ServerSocket listening) throws IOException {
        try (Socket socket = listening.accept()) {
            socket.setTcpNoDelay(true);
            socket.getInputStream().transferTo(socket.getOutputStream());
        }
    }

    /** The server hears of a connection with its first byte: asking whether the relay listens is no call. */
    private void relay(Socket client) throws IOException {
        client.setTcpNoDelay(true);
        int first = client.getInputStream().read();
        if (first < 0) {
            client.close();
            return;
        }
        Socket to = new Socket(server.getAddress(), server.getPort());
        to.setTcpNoDelay(true);
        passOn(client, to, (byte) first);
        passOn(to, client);
    }

    private void passOn(Socket from, Socket to, byte... begun) {
        BlockingQueue<Held> held = new LinkedBlockingQueue<>();
        if (begun.length > 0) held.add(new Held(System.nanoTime() + oneWayNs, begun));
        daemon(() -> receive(from.getInputStream(), held));
        daemon(() -> send(held, to));
    }

    private void receive(InputStream from, BlockingQueue<Held> held) throws IOException {
        byte[] buffer = new byte[MOST_BYTES];
        try {
            for (int count = from.read(buffer); count > 0; count = from.read(buffer)) {
                held.add(new Held(System.nanoTime() + oneWayNs, Arrays.copyOf(buffer, count)));
            }
        } finally {
            held.add(new Held(System.nanoTime() + oneWayNs, new byte[0]));
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

    /** Work in a thread of its own, which ends with the connection or the process. */
    static void daemon(Conductor.Work work) {
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
