package uploadlab.rpc;

import java.util.List;

/** The paper's complex value. */
public record Foo(long id, String title, List<String> body, List<Author> authors) {}
