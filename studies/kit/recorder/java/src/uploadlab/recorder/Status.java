package uploadlab.recorder;

/** How what was recorded ended; from 16 on a study may have its own. */
public final class Status {
    public static final int GOOD = 0;
    public static final int WRONG_BYTES = 1;
    public static final int WRONG_LENGTH = 2;
    public static final int REFUSED = 3;
    public static final int TIMED_OUT = 4;

    private Status() {}
}
