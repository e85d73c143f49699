package uploadlab.rpc;

/** The local call: what the client itself costs. */
public final class Null {
    private Null() {}

    public static void main(String[] arguments) {
        Part.run(new InProcess(settings -> () -> 0), arguments);
    }
}
