package uploadlab.rpc;

/** The procedures themselves. */
public class Local implements Procedures {
    @Override
    public void nothing() {}

    @Override
    public long singleLong(long value) {
        return value;
    }

    @Override
    public long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h) {
        return a + b + c + d + e + f + g + h;
    }

    @Override
    public String text(String value) {
        return value;
    }

    @Override
    public Foo foo(Foo value) {
        return value;
    }
}
