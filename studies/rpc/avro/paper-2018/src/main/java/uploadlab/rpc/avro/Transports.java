package uploadlab.rpc.avro;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URL;

import org.apache.avro.ipc.HttpServer;
import org.apache.avro.ipc.HttpTransceiver;
import org.apache.avro.ipc.NettyServer;
import org.apache.avro.ipc.NettyTransceiver;
import org.apache.avro.ipc.Responder;
import org.apache.avro.ipc.Server;
import org.apache.avro.ipc.Transceiver;

/** The transports of Avro 1.8, HTTP and Netty. */
final class Transports {
    private Transports() {}

    static Closeable serve(boolean http, Responder responder, InetSocketAddress at) throws IOException {
        Server server = http
                ? new HttpServer(responder, at.getHostString(), at.getPort())
                : new NettyServer(responder, at);
        server.start();
        return server::close;
    }

    static Transceiver connect(boolean http, InetSocketAddress to) throws IOException {
        return http
                ? new HttpTransceiver(new URL("http", to.getHostString(), to.getPort(), "/"))
                : new NettyTransceiver(to);
    }
}
