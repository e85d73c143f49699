import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Locale;

/**
 * A server that does nothing with a request but read it to its end: what is then measured is the load generator.
 *
 * <p>One thread serves all connections. It understands requests with a Content-Length, keeps connections alive unless
 * asked to close, and answers each request with 200 and a page of {@code PAGE_BYTES} spaces. It prints its port when it
 * listens.
 *
 * <p>{@code java NullServer.java [PORT [PAGE_BYTES]]}; port 0 (the default) takes a free one.
 */
public final class NullServer {
    private static final int READ_BYTES = 1 << 18;
    private static final int MAX_HEAD_BYTES = 1 << 14;
    private static final int BACKLOG = 4096;

    private final ByteBuffer input = ByteBuffer.allocateDirect(READ_BYTES);
    private final byte[] answer;

    private NullServer(int pageBytes) {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + pageBytes + "\r\n\r\n";
        answer = (head + " ".repeat(pageBytes)).getBytes(StandardCharsets.US_ASCII);
    }

    /** What is known of the request that a connection is sending. */
    private static final class Request {
        final StringBuilder head = new StringBuilder();
        long bodyLeft;
        boolean inBody;
        boolean close;
    }

    private void serve(int port) throws IOException {
        Selector selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress("127.0.0.1", port), BACKLOG);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        System.out.println(listener.socket().getLocalPort());
        while (true) {
            selector.select();
            for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                SelectionKey key = keys.next();
                keys.remove();
                if (key.isAcceptable()) {
                    accept(listener, selector);
                } else {
                    read(key);
                }
            }
        }
    }

    private static void accept(ServerSocketChannel listener, Selector selector) throws IOException {
        for (SocketChannel client = listener.accept(); client != null; client = listener.accept()) {
            client.configureBlocking(false);
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            client.register(selector, SelectionKey.OP_READ, new Request());
        }
    }

    private void read(SelectionKey key) throws IOException {
        SocketChannel client = (SocketChannel) key.channel();
        try {
            input.clear();
            if (client.read(input) < 0 || !advance((Request) key.attachment(), client)) {
                client.close();
            }
        } catch (IOException reset) {
            client.close();
        }
    }

    /** Takes the bytes read; false when the connection is to be closed. */
    private boolean advance(Request request, SocketChannel client) throws IOException {
        input.flip();
        while (input.hasRemaining()) {
            if (!request.inBody && !readHead(request)) {
                return request.head.length() <= MAX_HEAD_BYTES;
            }
            int taken = (int) Math.min(request.bodyLeft, input.remaining());
            input.position(input.position() + taken);
            request.bodyLeft -= taken;
            if (request.bodyLeft == 0) {
                request.inBody = false;
                client.write(ByteBuffer.wrap(answer));
                if (request.close) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Takes bytes up to the empty line; true when it has been seen. */
    private boolean readHead(Request request) {
        StringBuilder head = request.head;
        while (input.hasRemaining() && head.length() <= MAX_HEAD_BYTES) {
            char c = (char) (input.get() & 0xff);
            head.append(c);
            if (c == '\n' && head.length() >= 4 && head.charAt(head.length() - 3) == '\n') {
                String text = head.toString().toLowerCase(Locale.ROOT);
                head.setLength(0);
                int at = text.indexOf("content-length:");
                request.bodyLeft = at < 0 ? 0 : Long.parseLong(text.substring(at + 15, text.indexOf('\r', at)).trim());
                request.close = text.contains("connection: close");
                request.inBody = true;
                return true;
            }
        }
        return false;
    }

    public static void main(String[] arguments) throws IOException {
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
        int pageBytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 512;
        new NullServer(pageBytes).serve(port);
    }
}
