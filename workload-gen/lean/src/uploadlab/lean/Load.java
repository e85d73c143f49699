package uploadlab.lean;

import java.util.List;
import java.util.Queue;

/** Who sends the next file, and when. */
abstract class Load {
    static final long NEVER = Long.MAX_VALUE;

    /** What the rows of the request file call it. */
    final String label;
    final List<User> users;
    final Uploads uploads;
    /** How many users have begun and not left. */
    int present;

    Load(String label, List<User> users, Uploads uploads) {
        this.label = label;
        this.users = users;
        this.uploads = uploads;
    }

    /** Begins; times are those of {@link System#nanoTime}. */
    abstract void begin(long nowNs);

    /** Adds the requests of those users who are to send now. */
    abstract void startDue(long nowNs, Queue<Request> starts);

    /** Returns when somebody is due next, or {@link #NEVER}. */
    abstract long nextDueNs();

    /** A user's request has ended. */
    abstract void ended(User user, long nowNs);

    /** Puts off all that is to come: others had their turn for so long. */
    abstract void postpone(long byNs);

    /** Returns whether all is done. */
    abstract boolean isOver();
}
