package uploadlab.groups;

import java.io.IOException;

/** A group as a layer offers it: what is sent goes to every member, the sender too. */
public interface Channel extends AutoCloseable {
    /** What a channel tells of; deliveries of one sender come one after the other, of several at the same time. */
    interface Listener {
        void delivered(int sender, byte[] buffer, int offset, int length);

        /** Say how many members the group has; merged where several groups became one, whose order nobody knows. */
        void viewed(int members, boolean merged);
    }

    /** Join the group; deliveries may come before it returns. */
    void open(Place place, Listener listener) throws Exception;

    /** Make ready what depends on the place alone; called before open. */
    default void prepare(Place place) throws IOException {}

    /** Send to all; the buffer belongs to the channel from now on. */
    void send(byte[] buffer) throws Exception;

    /** Return how many bytes a message of such a buffer counts when it is handed to the group's protocols. */
    long handedBytes(int bufferBytes);

    String version();

    @Override
    void close();
}
