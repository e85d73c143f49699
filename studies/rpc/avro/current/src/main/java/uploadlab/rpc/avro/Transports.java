package uploadlab.rpc.avro;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URL;

import org.apache.avro.ipc.HttpTransceiver;
import org.apache.avro.ipc.Responder;
import org.apache.avro.ipc.Server;
import org.apache.avro.ipc.Transceiver;
import org.apache.avro.ipc.jetty.HttpServer;
import org.apache.avro.ipc.netty.NettyServer;
import org.apache.avro.ipc.netty.NettyTransceiver;

/** The transports of Avro 1.12. */
enum Transports {
    NETTY {
        @Override
        Closeable serve(Responder responder, InetSocketAddress at) throws IOException {
            try {
                NettyServer server = new NettyServer(responder, at);
                server.start();
                return server::close;
            } catch (InterruptedException error) {
                throw new IOException(error);
            }
        }

        @Override
        Transceiver connect(InetSocketAddress to) throws IOException {
            return new NettyTransceiver(to);
        }
    },
    HTTP {
        @Override
        Closeable serve(Responder responder, InetSocketAddress at) throws IOException {
            Server server = new HttpServer(responder, at.getHostString(), at.getPort());
            server.start();
            return server::close;
        }

        @Override
        Transceiver connect(InetSocketAddress to) throws IOException {
            return new HttpTransceiver(new URL("http", to.getHostString(), to.getPort(), "/"));
        }
    };

    abstract Closeable serve(Responder responder, InetSocketAddress at) throws IOException;

    abstract Transceiver connect(InetSocketAddress to) throws IOException;
}
