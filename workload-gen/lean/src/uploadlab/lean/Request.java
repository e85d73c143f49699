package uploadlab.lean;

/** What is known of one request: when each part of it happened, by {@link System#nanoTime}, and how it ended. */
final class Request {
    final User user;
    final Upload upload;
    /** When it was due; 0 of a closed loop, whose user sends when it is ready. */
    final long dueNs;
    /** How long it waited, then due, because all users were busy. */
    final long fullNs;
    long startNs;
    long connectNs;
    long firstByteNs;
    long endNs;
    /** How long it waited for this generator, at most. */
    long delayNs;
    long sentBytes;
    long receivedBytes;
    /** What broke it off; null where an answer came. */
    Exception broken;

    Request(User user, Upload upload, long dueNs, long fullNs) {
        this.user = user;
        this.upload = upload;
        this.dueNs = dueNs;
        this.fullNs = fullNs;
    }
}
