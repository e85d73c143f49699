package uploadlab.rpc;

import java.util.List;

/** The paper's complex value. */
public record Foo(long id, String title, List<String> body, List<Author> authors) {
    /** An author, as the paper prints it. */
    public record Author(long id, String name, String surname) {}
}
