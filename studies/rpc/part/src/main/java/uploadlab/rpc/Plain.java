package uploadlab.rpc;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

import uploadlab.recorder.Settings;

/**
 * The floor: calls written by hand on a blocking socket. A request is a length of 4 bytes, the operation's number and
 * the arguments in {@link Canonical} form; an answer is a length and the value.
 */
public final class Plain implements RpcSystem {
    private static final int MOST_BYTES = 1 << 20;

    public static void main(String[] arguments) {
        Part.run(new Plain(), arguments);
    }

    @Override
    public Closeable serve(InetSocketAddress at, Procedures procedures, Settings settings) throws IOException {
        ServerSocket listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(at);
        Relay.daemon(() -> accept(listening, procedures));
        return listening;
    }

    @Override
    public Stub connect(InetSocketAddress to, Settings settings) throws IOException {
        Socket socket = new Socket(to.getAddress(), to.getPort());
        socket.setTcpNoDelay(true);
        return new PlainStub(socket);
    }

    private static void accept(ServerSocket listening, Procedures procedures) throws IOException {
        while (true) {
            Socket socket = listening.accept();
            socket.setTcpNoDelay(true);
            Relay.daemon(() -> answer(socket, procedures));
        }
    }

    private static void answer(Socket socket, Procedures procedures) {
        try (socket) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            while (true) {
                byte[] arguments = new byte[length(in) - 1];
                Operation operation = operation(in.readUnsignedByte());
                in.readFully(arguments);
                Call call = new Call(operation, Canonical.argument(operation, arguments));
                byte[] value = Canonical.bytes(call.answeredBy(procedures));
                out.writeInt(value.length);
                out.write(value);
                out.flush();
            }
        } catch (EOFException clientIsGone) {
            // As each connection ends.
        } catch (IOException error) {
            System.err.println("A client's connection was closed: " + error.getMessage() + ".");
        }
    }

    private static Operation operation(int number) throws IOException {
        if (number >= Operation.ALL.size()) throw new IOException("there is no operation " + number);
        return Operation.ALL.get(number);
    }

    private static int length(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MOST_BYTES) throw new IOException("a message of " + length + " bytes");
        return length;
    }

    private static final class PlainStub implements Stub {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        PlainStub(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        @Override
        public void nothing() {
            call(Operation.VOID, null);
        }

        @Override
        public long singleLong(long value) {
            return (Long) call(Operation.SINGLE_LONG, value);
        }

        @Override
        public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
            return (Long) call(Operation.EIGHT_LONGS, new long[] {a, b, c, d, e, f, g, h});
        }

        @Override
        public String text(String value) {
            return (String) call(Operation.ofText(value), value);
        }

        @Override
        public Foo foo(Foo value) {
            return (Foo) call(Operation.FOO, value);
        }

        @Override
        public int argumentBytes(Call call) {
            return Canonical.bytes(call.argument()).length;
        }

        @Override
        public int answerBytes(Call call) {
            return Canonical.bytes(call.answeredBy(new Local())).length;
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        private Object call(Operation operation, Object argument) {
            byte[] arguments = Canonical.bytes(argument);
            try {
                out.writeInt(1 + arguments.length);
                out.writeByte(operation.ordinal());
                out.write(arguments);
                out.flush();
                return Canonical.answer(operation, in.readNBytes(length(in)));
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }
}
