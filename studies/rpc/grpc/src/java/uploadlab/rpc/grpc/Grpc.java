package uploadlab.rpc.grpc;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import uploadlab.recorder.Settings;
import uploadlab.rpc.Call;
import uploadlab.rpc.Foo;
import uploadlab.rpc.Part;
import uploadlab.rpc.Procedures;
import uploadlab.rpc.RpcSystem;
import uploadlab.rpc.Stub;
import uploadlab.rpc.grpc.wire.None;
import uploadlab.rpc.grpc.wire.RemoteGrpc;

/** gRPC over Netty without TLS, with a blocking stub; everything else as shipped. */
public final class Grpc implements RpcSystem {
    public static void main(String[] arguments) {
        Part.run(new Grpc(), arguments);
    }

    @Override
    public Closeable serve(InetSocketAddress at, Procedures procedures, Settings settings) throws IOException {
        Server server = NettyServerBuilder.forAddress(at).addService(new Answering(procedures)).build().start();
        return server::shutdownNow;
    }

    @Override
    public Stub connect(InetSocketAddress to, Settings settings) throws IOException {
        // By name the channel would go through its resolver and a proxy's settings; the lab's addresses are numbers.
        ManagedChannel channel = NettyChannelBuilder.forAddress(to).negotiationType(NegotiationType.PLAINTEXT).build();
        open(channel);
        return new GrpcStub(channel);
    }

    /** Open the connection, which else the first call would open; where that fails, the first call says why. */
    private static void open(ManagedChannel channel) throws IOException {
        try {
            ConnectivityState state = channel.getState(true);
            while (state == ConnectivityState.IDLE || state == ConnectivityState.CONNECTING) {
                CountDownLatch changed = new CountDownLatch(1);
                channel.notifyWhenStateChanged(state, changed::countDown);
                changed.await();
                state = channel.getState(true);
            }
        } catch (InterruptedException error) {
            throw new InterruptedIOException(error.getMessage());
        } catch (UnsupportedOperationException gRpcBefore16) {
            callWhatIsNotThere(channel);
        }
    }

    /** Only a call opens the connection of an old channel: here one that the server has no procedure for. */
    private static void callWhatIsNotThere(ManagedChannel channel) {
        Marshaller<None> nothing = ProtoUtils.marshaller(None.getDefaultInstance());
        MethodDescriptor<None, None> absent = MethodDescriptor.newBuilder(nothing, nothing)
                .setType(MethodType.UNARY)
                .setFullMethodName("uploadlab.rpc.Remote/Absent")
                .build();
        try {
            ClientCalls.blockingUnaryCall(channel, absent, CallOptions.DEFAULT, None.getDefaultInstance());
        } catch (StatusRuntimeException asItMust) {
            // Refused, or there is no connection, which the first call says.
        }
    }

    @Override
    public List<String> artifacts() {
        return List.of("grpc-netty", "protobuf-java", "netty-codec-http2");
    }

    private static final class GrpcStub implements Stub {
        private final ManagedChannel channel;
        private final RemoteGrpc.RemoteBlockingStub remote;

        GrpcStub(ManagedChannel channel) {
            this.channel = channel;
            this.remote = RemoteGrpc.newBlockingStub(channel);
        }

        @Override
        public void nothing() {
            remote.nothing(None.getDefaultInstance());
        }

        @Override
        public long singleLong(long value) {
            return remote.singleLong(Messages.of(value)).getValue();
        }

        @Override
        public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
            return remote.eightLongs(Messages.of(a, b, c, d, e, f, g, h)).getValue();
        }

        @Override
        public String text(String value) {
            return remote.text(Messages.of(value)).getValue();
        }

        @Override
        public Foo foo(Foo value) {
            return Messages.read(remote.complex(Messages.of(value)));
        }

        @Override
        public int argumentBytes(Call call) {
            return Messages.argument(call).getSerializedSize();
        }

        @Override
        public int answerBytes(Call call) {
            return Messages.answer(call).getSerializedSize();
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
