package uploadlab.rpc;

import java.util.function.LongSupplier;

import uploadlab.recorder.Settings;

/** The local call: what the client itself costs. */
public final class Null extends InProcess {
    public static void main(String[] arguments) {
        Part.run(new Null(), arguments);
    }

    @Override
    LongSupplier waits(Settings settings) {
        return () -> 0;
    }
}
