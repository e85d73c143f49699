package uploadlab.recorder;

/** What a record saw. */
public enum Kind {
    /** When an operation should have begun. */
    DUE,
    /** Before the sending call. */
    SENT,
    /** The sending call came back, or the system confirmed. */
    ACCEPTED,
    /** The receiving call came back. */
    RECEIVED,
    /** The operation is complete. */
    ANSWERED,
    /** The answering call came back. */
    REPLIED,
    /** Before the receiving call. */
    WAITING;

    /** Return the number in the file; 0 is a row that was never written. */
    byte number() {
        return (byte) (ordinal() + 1);
    }
}
