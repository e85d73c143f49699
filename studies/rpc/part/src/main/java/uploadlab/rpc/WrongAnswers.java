package uploadlab.rpc;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import uploadlab.recorder.Settings;

/** Procedures that answer one kind of value wrongly, as a careless server would: so that tests can see it refused. */
final class WrongAnswers {
    private WrongAnswers() {}

    /** Return the local procedures, made wrong as the setting WRONG_ANSWERS says. */
    static Procedures by(Settings settings) {
        return switch (settings.oneOf("WRONG_ANSWERS", "none", "long_as_double", "text_normalised", "authors_reordered")) {
            case "long_as_double" -> new Local() {
                @Override
                public long singleLong(long value) {
                    return (long) (double) value;
                }
            };
            case "text_normalised" -> new Local() {
                @Override
                public String text(String value) {
                    return Normalizer.normalize(value, Normalizer.Form.NFC);
                }
            };
            case "authors_reordered" -> new Local() {
                @Override
                public Foo foo(Foo value) {
                    List<Foo.Author> authors = new ArrayList<>(value.authors());
                    Collections.reverse(authors);
                    return new Foo(value.id(), value.title(), value.body(), authors);
                }
            };
            default -> new Local();
        };
    }
}
