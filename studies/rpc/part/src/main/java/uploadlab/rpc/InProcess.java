package uploadlab.rpc;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.function.Function;
import java.util.function.LongSupplier;

import uploadlab.recorder.Settings;

/**
 * A system without transport: a call is answered in the client's own process.
 *
 * @param waits what makes each call wait, in ns
 */
public record InProcess(Function<Settings, LongSupplier> waits) implements RpcSystem {
    /** Be the local call, which waits for nothing: what the client itself costs. */
    public static void main(String[] arguments) {
        Part.run(new InProcess(settings -> () -> 0), arguments);
    }

    @Override
    public Closeable serve(InetSocketAddress at, Procedures procedures, Settings settings) {
        return () -> {};
    }

    @Override
    public Stub connect(InetSocketAddress to, Settings settings) {
        return new Answering(WrongAnswers.by(settings), waits.apply(settings));
    }

    @Override
    public boolean remote() {
        return false;
    }

    private record Answering(Procedures local, LongSupplier waits) implements Stub {
        @Override
        public void nothing() {
            hold();
            local.nothing();
        }

        @Override
        public long singleLong(long value) {
            hold();
            return local.singleLong(value);
        }

        @Override
        public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
            hold();
            return local.eightLongs(a, b, c, d, e, f, g, h);
        }

        @Override
        public String text(String value) {
            hold();
            return local.text(value);
        }

        @Override
        public Foo foo(Foo value) {
            hold();
            return local.foo(value);
        }

        @Override
        public int argumentBytes(Call call) {
            return 0;
        }

        @Override
        public int answerBytes(Call call) {
            return 0;
        }

        @Override
        public void close() {}

        /** Stay on the processor: a sleeping thread wakes up some 50 µs late. */
        private void hold() {
            long waitNs = waits.getAsLong();
            long start = System.nanoTime();
            while (System.nanoTime() - start < waitNs) Thread.onSpinWait();
        }
    }
}
