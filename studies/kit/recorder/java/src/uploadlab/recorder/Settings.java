package uploadlab.recorder;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What a part is told by its environment; every reader says in a sentence which variable is missing or wrong. */
public final class Settings {
    private final Map<String, String> values;

    public Settings(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    public static Settings ofEnvironment() {
        return new Settings(System.getenv());
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) throw new IllegalArgumentException(name + " is missing in the environment.");
        return value;
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** Read one of several words; the first is taken where the variable is missing. */
    public String oneOf(String name, String... words) {
        String value = text(name, words[0]);
        List<String> known = Arrays.asList(words);
        if (!known.contains(value)) throw wrong(name, value, "one of " + String.join(", ", known));
        return value;
    }

    public long whole(String name) {
        String value = text(name);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException error) {
            throw wrong(name, value, "a whole number");
        }
    }

    public long whole(String name, long otherwise) {
        return values.containsKey(name) ? whole(name) : otherwise;
    }

    public double real(String name) {
        String value = text(name);
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException error) {
            throw wrong(name, value, "a number");
        }
    }

    public double real(String name, double otherwise) {
        return values.containsKey(name) ? real(name) : otherwise;
    }

    private static IllegalArgumentException wrong(String name, String value, String expected) {
        return new IllegalArgumentException(name + " is '" + value + "'; expected " + expected + ".");
    }
}
