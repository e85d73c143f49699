package uploadlab.rpc;

/** What is called: by the client through a system's stub, by a system's server as the {@link Local} procedure. */
public interface Procedures {
    void nothing();

    long singleLong(long value);

    /** Return the sum of the eight, which wraps around as Java's longs do. */
    long eightLongs(long a, long b, long c, long d, long e, long f, long g, long h);

    String text(String value);

    Foo foo(Foo value);
}
