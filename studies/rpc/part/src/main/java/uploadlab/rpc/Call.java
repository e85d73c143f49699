package uploadlab.rpc;

import java.util.Arrays;
import java.util.Objects;

/**
 * An operation with its arguments.
 *
 * @param argument null, a Long, a long[8], a String or a Foo
 */
public record Call(Operation operation, Object argument) {
    /** Call one of the procedures; return null, a Long, a String or a Foo. */
    public Object answeredBy(Procedures procedures) {
        return switch (operation) {
            case VOID -> {
                procedures.nothing();
                yield null;
            }
            case SINGLE_LONG -> procedures.singleLong((Long) argument);
            case EIGHT_LONGS -> {
                long[] of = (long[]) argument;
                yield procedures.eightLongs(of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7]);
            }
            case FOO -> procedures.foo((Foo) argument);
            default -> procedures.text((String) argument);
        };
    }

    /** Say whether an answer equals the local procedure's: field by field, and as bytes. */
    boolean isAnsweredBy(Object answer) {
        Object expected = answeredBy(new Local());
        return Objects.equals(answer, expected)
                && Arrays.equals(Canonical.bytes(answer), Canonical.bytes(expected));
    }

    /** Return the operation and its argument, cut to a length that an error message can show. */
    @Override
    public String toString() {
        String text = argument instanceof long[] longs ? Arrays.toString(longs) : String.valueOf(argument);
        return operation.label() + "(" + (text.length() > 120 ? text.substring(0, 120) + "…" : text) + ")";
    }
}
