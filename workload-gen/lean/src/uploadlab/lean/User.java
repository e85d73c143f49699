package uploadlab.lean;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A user and its connection: a request goes out piece by piece, its answer comes back. */
final class User {
    /** So many bytes go out before the other users' answers are looked for again. */
    private static final long MOST_AT_ONCE = 256 * 1024;
    /** A connection idle for so long is not used again: Node.js and uvicorn close theirs after 5 s, into a request sent then. */
    private static final long LONGEST_IDLE_NS = 4_000_000_000L;

    final String name;
    final int number;
    final Answer answer;
    /** The last request, until it is finished; or null. */
    Request request;
    /** When its last request ended. */
    long freeSinceNs;
    private SocketChannel socket;
    private SelectionKey key;
    private ByteBuffer piece;
    private int nextPiece;
    private long movedNs;

    /** {@code number} counts the users of a group from 0; of each body {@code keptBytes} are kept. */
    User(String group, int number, int keptBytes) {
        name = group + " 1-" + (number + 1);
        this.number = number;
        answer = new Answer(keptBytes);
    }

    /** Returns whether a request is under way. */
    boolean isBusy() {
        return request != null && request.endNs == 0;
    }

    /** Begins a request; returns whether it can be sent now, else the connection is to come first. */
    boolean begin(Request next, InetSocketAddress server, Selector selector) {
        request = next;
        answer.clear();
        piece = next.upload.pieces.get(0).duplicate();
        nextPiece = 1;
        if (next.startNs - movedNs >= LONGEST_IDLE_NS) {
            close();
        }
        movedNs = next.startNs;
        if (socket != null) {
            return true;
        }
        try {
            socket = SocketChannel.open();
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            key = socket.register(selector, SelectionKey.OP_CONNECT, this);
            return socket.connect(server) && connect();
        } catch (IOException e) {
            breakOff(e);
            return false;
        }
    }

    /** The connection is made, or refused. Returns whether the request can be sent now. */
    boolean connect() {
        try {
            socket.finishConnect();
            movedNs = System.nanoTime();
            request.connectNs = movedNs - request.startNs;
            key.interestOps(SelectionKey.OP_READ);
            return true;
        } catch (IOException e) {
            breakOff(e);
            return false;
        }
    }

    /** Sends what the connection takes. {@code readyNs} is since when it could. */
    void send(long readyNs) {
        long mostBytes = Math.min(request.upload.bytes, request.sentBytes + MOST_AT_ONCE);
        movedNs = System.nanoTime();
        request.delayNs += movedNs - readyNs;
        try {
            do {
                if (!piece.hasRemaining()) {
                    piece = request.upload.pieces.get(nextPiece++).duplicate();
                }
                request.sentBytes += socket.write(piece);
            } while (!piece.hasRemaining() && request.sentBytes < mostBytes);
            boolean isSent = request.sentBytes == request.upload.bytes;
            key.interestOps(isSent ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        } catch (IOException e) {
            breakOff(e);
        }
    }

    /** Reads what has come; {@code sinceNs} is the earliest it can have come. */
    void receive(ByteBuffer buffer, long sinceNs) {
        buffer.clear();
        try {
            int received = socket.read(buffer);
            movedNs = System.nanoTime();
            if (request == null) { // the server has closed an idle connection, or says what nobody asked for
                close();
                return;
            }
            if (received < 0) {
                answer.end();
                if (!answer.isWhole()) {
                    throw new EOFException("the server closed the connection before its answer was whole");
                }
            } else {
                request.receivedBytes += received;
                request.firstByteNs = request.firstByteNs == 0 ? movedNs : request.firstByteNs;
                answer.take(buffer.flip());
            }
            if (answer.isWhole()) {
                request.endNs = movedNs;
                request.delayNs += movedNs - sinceNs;
            }
        } catch (IOException e) {
            breakOff(e);
        }
    }

    /** Breaks the request off where connecting or the server's silence has lasted too long. 0: no limit. */
    void lookAtTime(long nowNs, long connectTimeoutNs, long responseTimeoutNs) {
        boolean isConnected = key.interestOps() != SelectionKey.OP_CONNECT;
        long limitNs = isConnected ? responseTimeoutNs : connectTimeoutNs;
        if (limitNs > 0 && nowNs - movedNs >= limitNs) {
            breakOff(new SocketTimeoutException(isConnected ? "Read timed out" : "Connect timed out"));
        }
    }

    /** Ends the request: what is left of its connection is used again or closed. */
    void finish() {
        boolean isWhole = request.broken == null && request.sentBytes == request.upload.bytes;
        if (!isWhole || !answer.keepsAlive) {
            close();
        }
        request = null;
    }

    void close() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // it is gone either way
            }
            socket = null;
        }
    }

    private void breakOff(IOException reason) {
        if (request != null) {
            request.broken = reason;
            request.endNs = System.nanoTime();
        }
        close();
    }
}
