package uploadlab.rpc.avro;

import uploadlab.rpc.Procedures;
import uploadlab.rpc.avro.wire.Remote;

/** The server's side as Avro 1.8 declares it. */
public final class Answering extends Answers implements Remote {
    Answering(Procedures procedures) {
        super(procedures);
    }

    @Override
    public Void nothing() {
        procedures.nothing();
        return null;
    }
}
