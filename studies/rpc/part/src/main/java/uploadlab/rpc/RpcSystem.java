package uploadlab.rpc;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

import uploadlab.recorder.Settings;

/** What a compared system supplies: a server of the procedures, and a stub that calls them. */
public interface RpcSystem {
    /** Answer calls at an address until the process ends or the server is closed. */
    Closeable serve(InetSocketAddress at, Procedures procedures, Settings settings) throws IOException;

    /** Open the one connection: what a system exchanges before its first call is exchanged when this returns. */
    Stub connect(InetSocketAddress to, Settings settings) throws IOException;

    /** Return the artifacts of Maven Central whose versions say which system it is. */
    default List<String> artifacts() {
        return List.of();
    }

    /** Say whether calls leave the process. */
    default boolean remote() {
        return true;
    }
}
