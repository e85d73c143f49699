package uploadlab.rpc.avro;

import uploadlab.rpc.Procedures;
import uploadlab.rpc.avro.wire.Remote;

/** The server's side as Avro 1.12 declares it. */
public final class Answering extends Answers implements Remote {
    Answering(Procedures procedures) {
        super(procedures);
    }

    @Override
    public void nothing() {
        procedures.nothing();
    }
}
