package uploadlab.rpc;

import java.util.Arrays;
import java.util.List;

import uploadlab.recorder.Settings;

/** The paper's fifteen operations in its order; a record's {@code op} is the ordinal. */
public enum Operation {
    VOID("void", 0),
    SINGLE_LONG("singlelong", 0),
    EIGHT_LONGS("eightlongs", 0),
    STRING_1("string1", 1),
    STRING_2("string2", 2),
    STRING_4("string4", 4),
    STRING_8("string8", 8),
    STRING_16("string16", 16),
    STRING_32("string32", 32),
    STRING_64("string64", 64),
    STRING_128("string128", 128),
    STRING_256("string256", 256),
    STRING_512("string512", 512),
    STRING_1024("string1024", 1024),
    FOO("foo", 0);

    static final List<Operation> ALL = List.of(values());

    private final String label;
    private final int characters;

    Operation(String label, int characters) {
        this.label = label;
        this.characters = characters;
    }

    /** Read the labels of the operations that are called, separated by commas; all where the variable is missing. */
    static List<Operation> called(Settings settings) {
        String labels = settings.text("CALLED", "all");
        if (labels.equals("all")) return ALL;
        return Arrays.stream(labels.split(",")).map(Operation::labelled).toList();
    }

    private static Operation labelled(String label) {
        return ALL.stream()
                .filter(operation -> operation.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("CALLED names '" + label + "', which is no operation."));
    }

    /** Return the name that the paper and the study's files use. */
    public String label() {
        return label;
    }

    /** Return how many characters a string of this operation has; 0 where it takes none. */
    int characters() {
        return characters;
    }

    /** Return the operation of strings of this length, or of the next shorter ones. */
    static Operation ofText(String value) {
        int index = STRING_1.ordinal() + 31 - Integer.numberOfLeadingZeros(Math.max(1, value.length()));
        return ALL.get(Math.min(index, STRING_1024.ordinal()));
    }
}
