package uploadlab.rpc.grpc;

import io.grpc.stub.StreamObserver;
import uploadlab.rpc.Procedures;
import uploadlab.rpc.grpc.wire.Eight;
import uploadlab.rpc.grpc.wire.Foo;
import uploadlab.rpc.grpc.wire.None;
import uploadlab.rpc.grpc.wire.RemoteGrpc;
import uploadlab.rpc.grpc.wire.Single;
import uploadlab.rpc.grpc.wire.TextValue;

/** The server's side: reads the arguments, calls the procedure, sends the answer. */
final class Answering extends RemoteGrpc.RemoteImplBase {
    private final Procedures procedures;

    Answering(Procedures procedures) {
        this.procedures = procedures;
    }

    @Override
    public void nothing(None request, StreamObserver<None> answer) {
        procedures.nothing();
        send(answer, None.getDefaultInstance());
    }

    @Override
    public void singleLong(Single request, StreamObserver<Single> answer) {
        send(answer, Messages.of(procedures.singleLong(request.getValue())));
    }

    @Override
    public void eightLongs(Eight of, StreamObserver<Single> answer) {
        send(answer, Messages.of(procedures.eightLongs(
                of.getA(), of.getB(), of.getC(), of.getD(), of.getE(), of.getF(), of.getG(), of.getH())));
    }

    @Override
    public void text(TextValue request, StreamObserver<TextValue> answer) {
        send(answer, Messages.of(procedures.text(request.getValue())));
    }

    @Override
    public void complex(Foo request, StreamObserver<Foo> answer) {
        send(answer, Messages.of(procedures.foo(Messages.read(request))));
    }

    private static <T> void send(StreamObserver<T> to, T answer) {
        to.onNext(answer);
        to.onCompleted();
    }
}
