package uploadlab.rpc;

/** An author of a {@link Foo}, as the paper prints it. */
public record Author(long id, String name, String surname) {}
