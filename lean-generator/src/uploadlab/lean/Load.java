package uploadlab.lean;

/** Who sends the next file, and when. */
interface Load {
    long NEVER = Long.MAX_VALUE;

    /** Begins; times are those of {@link System#nanoTime}. */
    void begin(long nowNs);

    /** Hands those users to the loop who are to send now. */
    void startDue(long nowNs, Starter starter);

    /** Returns when somebody is due next, or {@link #NEVER}. */
    long nextDueNs();

    /** A user's request has ended. */
    void ended(User user, long nowNs);

    /** Returns how many users are in it: those who have begun and not left. */
    int users();

    /** Returns whether all is done. */
    boolean isOver();

    /** What the rows of the request file call it. */
    String label();

    /** Takes a user that is to send a file. */
    @FunctionalInterface
    interface Starter {
        /** {@code dueNs} 0: it was due when the user was ready. */
        void start(User user, Upload upload, long dueNs);
    }
}
