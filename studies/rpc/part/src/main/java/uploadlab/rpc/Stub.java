package uploadlab.rpc;

/** The client's side of a connection. */
public interface Stub extends Procedures, AutoCloseable {
    /** Return how many bytes the system's serialisation makes of the arguments; framing and headers do not count. */
    int argumentBytes(Call call);

    /** Return how many bytes the system's serialisation makes of the answer. */
    int answerBytes(Call call);

    @Override
    void close();
}
