package uploadlab.rpc.avro;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;

import org.apache.avro.ipc.Transceiver;
import org.apache.avro.ipc.specific.SpecificRequestor;
import org.apache.avro.ipc.specific.SpecificResponder;
import uploadlab.recorder.Settings;
import uploadlab.rpc.Call;
import uploadlab.rpc.Foo;
import uploadlab.rpc.Part;
import uploadlab.rpc.Procedures;
import uploadlab.rpc.RpcSystem;
import uploadlab.rpc.Stub;
import uploadlab.rpc.avro.wire.Remote;

/** Avro's calls over its Netty or its HTTP transport, everything else as shipped. */
public final class Avro implements RpcSystem {
    public static void main(String[] arguments) {
        Part.run(new Avro(), arguments);
    }

    @Override
    public Closeable serve(InetSocketAddress at, Procedures procedures, Settings settings) throws IOException {
        return Transports.serve(overHttp(settings), new SpecificResponder(Remote.class, new Answering(procedures)), at);
    }

    @Override
    public Stub connect(InetSocketAddress to, Settings settings) throws IOException {
        return new AvroStub(Transports.connect(overHttp(settings), to));
    }

    @Override
    public List<String> artifacts() {
        return List.of("avro", "avro-ipc", "avro-ipc-netty", "avro-ipc-jetty");
    }

    private static boolean overHttp(Settings settings) {
        return settings.oneOf("TRANSPORT", "netty", "http").equals("http");
    }

    private static final class AvroStub implements Stub {
        private final Transceiver transceiver;
        private final Remote remote;

        AvroStub(Transceiver transceiver) throws IOException {
            this.transceiver = transceiver;
            this.remote = SpecificRequestor.getClient(Remote.class, transceiver);
            SpecificRequestor.getRemote(remote); // shakes hands, which else the first call would
        }

        @Override
        public void nothing() {
            called(() -> {
                remote.nothing();
                return null;
            });
        }

        @Override
        public long singleLong(long value) {
            return called(() -> remote.singleLong(value));
        }

        @Override
        public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
            return called(() -> remote.eightLongs(a, b, c, d, e, f, g, h));
        }

        @Override
        public String text(String value) {
            return called(() -> remote.text(value));
        }

        @Override
        public Foo foo(Foo value) {
            return called(() -> Values.read(remote.complex(Values.of(value))));
        }

        @Override
        public int argumentBytes(Call call) {
            return Values.argument(call).length;
        }

        @Override
        public int answerBytes(Call call) {
            return Values.answer(call).length;
        }

        @Override
        public void close() {
            try {
                transceiver.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        private interface Calling<T> {
            T call() throws Exception;
        }

        /** Avro's generated calls throw a checked exception in 1.8, and none in 1.12. */
        private static <T> T called(Calling<T> calling) {
            try {
                return calling.call();
            } catch (RuntimeException error) {
                throw error;
            } catch (Exception error) {
                throw new IllegalStateException(error.getMessage(), error);
            }
        }
    }
}
