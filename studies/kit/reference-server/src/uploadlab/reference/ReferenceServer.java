package uploadlab.reference;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;
import sun.misc.Signal;

/**
 * Reads uploads, stores nothing, and answers by a programmed law, writing down when it did.
 *
 * <p>One thread waits for connections and deadlines; what it does for a request costs some ten microseconds. With the law
 * {@code none} it shows what the load generator takes for itself; with the others, whether the lab measures what is true.
 */
public final class ReferenceServer {
    private static final int BACKLOG = 511;
    private static final Path PAGE = Path.of("../../../node-server/page.html");
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private record Due(long timeNs, Connection connection) {}

    private final Settings settings;
    private final Law law;
    private final Law.Stalls stalls;
    private final Truth truth;
    private final byte[] page;
    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18);
    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::timeNs));
    private final ArrayDeque<ByteBuffer> released = new ArrayDeque<>();
    private volatile boolean stopping;

    private ReferenceServer(Settings settings) throws IOException {
        this.settings = settings;
        law = Law.of(settings);
        long stallNs = settings.law().equals("stalls") ? (long) (settings.stallMs() * 1e6) : 0;
        stalls = new Law.Stalls(System.nanoTime(), (long) (settings.stallEveryMs() * 1e6), stallNs);
        truth = new Truth(settings.truth());
        page = answer("200 OK", "text/html; charset=utf-8", Files.readAllBytes(PAGE));
    }

    public static void main(String[] arguments) {
        if (arguments.length == 1 && arguments[0].equals("versions")) {
            System.out.println("{\"java\": \"" + Runtime.version() + "\"}");
            return;
        }
        try {
            new ReferenceServer(Settings.fromEnvironment()).run();
        } catch (IllegalArgumentException | IOException error) {
            System.err.println(error instanceof IOException ? error.toString() : error.getMessage());
            System.exit(2);
        }
    }

    private void run() throws IOException {
        Signal.handle(new Signal("TERM"), signal -> {
            stopping = true;
            selector.wakeup();
        });
        startSwitching();
        try (truth; var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(settings.host(), settings.port()), BACKLOG);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            while (!stopping) {
                receiveUntilDue();
                answerWhatIsDue();
            }
        }
        System.exit(0);
    }

    /** Waits for input until the next answer is due, over the last millisecond without giving up the core. */
    private void receiveUntilDue() throws IOException {
        long left = due.isEmpty() ? 1_000_000_000 : due.peek().timeNs() - System.nanoTime();
        if (left < 1_000_000) {
            selector.selectNow(this::handle);
        } else {
            selector.select(this::handle, left / 1_000_000);
        }
    }

    private void handle(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel());
            } else {
                receive(key, (Connection) key.attachment());
            }
        } catch (IOException | NumberFormatException error) {
            close(key);
        }
    }

    private void accept(ServerSocketChannel server) throws IOException {
        for (var channel = server.accept(); channel != null; channel = server.accept()) {
            channel.configureBlocking(false);
            channel.socket().setTcpNoDelay(true);
            channel.register(selector, SelectionKey.OP_READ, new Connection(channel));
        }
    }

    private void receive(SelectionKey key, Connection connection) throws IOException {
        buffer.clear();
        int count = connection.channel.read(buffer);
        if (count < 0) {
            close(key);
        } else if (count > 0 && connection.take(buffer.flip())) {
            plan(connection);
        } else if (connection.asksToContinue) {
            connection.asksToContinue = false;
            send(connection, CONTINUE);
        }
    }

    private void plan(Connection connection) throws IOException {
        if (connection.requestLine.startsWith("GET /health ")) {
            send(connection, answer("200 OK", "application/json", "{\"status\":\"ok\"}".getBytes(StandardCharsets.US_ASCII)));
        } else if (connection.requestLine.startsWith("POST " + settings.path() + " ")) {
            burn((long) (settings.cpuUs() * 1000));
            hold(connection);
            connection.programmedNs = law.nextNs();
            due.add(new Due(stalls.after(connection.lastByteNs + connection.programmedNs), connection));
        } else {
            var nothing = "{\"error\":{\"code\":\"not_found\",\"message\":\"No such page.\"}}";
            send(connection, answer("404 Not Found", "application/json", nothing.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /** Holds memory while an upload is in flight; what was given back is used again, so that it never depends on a collector. */
    private void hold(Connection connection) {
        if (settings.holdKb() > 0 && connection.held == null) {
            var free = released.poll();
            connection.held = free == null ? ByteBuffer.allocateDirect(settings.holdKb() * 1000) : free;
        }
    }

    private void release(Connection connection) {
        if (connection.held != null) {
            released.add(connection.held);
            connection.held = null;
        }
    }

    private void answerWhatIsDue() {
        while (!due.isEmpty() && due.peek().timeNs() <= System.nanoTime()) {
            var connection = due.poll().connection();
            try {
                // Noted before it is sent: the client may have the answer before this thread runs again.
                long now = System.nanoTime();
                release(connection);
                send(connection, page);
                truth.note(connection.firstByteNs, connection.lastByteNs, now, connection.programmedNs);
            } catch (IOException error) {
                close(connection.channel.keyFor(selector));
            }
        }
    }

    private static void send(Connection connection, byte[] answer) throws IOException {
        var bytes = ByteBuffer.wrap(answer);
        if (connection.channel.write(bytes) < answer.length) {
            throw new IOException("the client does not read"); // some 1,100 bytes always fit a fresh socket's buffer
        }
    }

    private void close(SelectionKey key) {
        if (key == null) {
            return;
        }
        key.cancel();
        try {
            key.channel().close();
        } catch (IOException error) {
            // It is closed all the same.
        }
    }

    private static byte[] answer(String status, String type, byte[] body) {
        var head = "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length
            + "\r\nConnection: keep-alive\r\n\r\n";
        var bytes = new byte[head.length() + body.length];
        System.arraycopy(head.getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, head.length());
        System.arraycopy(body, 0, bytes, head.length(), body.length);
        return bytes;
    }

    /** Uses the processor for so long, by this thread's own CPU clock. */
    private static void burn(long cpuNs) {
        var threads = ManagementFactory.getThreadMXBean();
        for (long end = threads.getCurrentThreadCpuTime() + cpuNs; cpuNs > 0 && threads.getCurrentThreadCpuTime() < end; ) {
            Thread.onSpinWait();
        }
    }

    /** Starts a thread that gives up its core so many times a second, each a voluntary context switch. */
    private void startSwitching() {
        if (settings.switchesPerS() == 0) {
            return;
        }
        long everyNs = (long) (1e9 / settings.switchesPerS());
        var thread = new Thread(() -> {
            for (long next = System.nanoTime() + everyNs; ; next += everyNs) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }, "switches");
        thread.setDaemon(true);
        thread.start();
    }
}
