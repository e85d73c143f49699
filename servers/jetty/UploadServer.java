// https://jetty.org/docs/jetty/12.1/programming-guide/server/http.html#handler-impl-request-content (read 2026-11-27): MultiPartFormData.onParts.
// Added: the file is moved to a UUID, the limits, the end on SIGTERM.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.http.MultiPartConfig;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

public class UploadServer extends Handler.Abstract {
  static final Path FOLDER = Path.of(System.getenv("UPLOAD_DIR"));
  static final MultiPartConfig CONFIG = new MultiPartConfig.Builder().location(FOLDER).maxPartSize(200 << 20).build();

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (!Request.getPathInContext(request).equals("/upload")) return false;
    String contentType = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    MultiPartFormData.onParts(request, request, contentType, CONFIG, new Promise.Invocable<>() {
      @Override
      public void succeeded(MultiPartFormData.Parts parts) {
        try (parts) {
          MultiPart.Part file = parts.getFirst("file");
          if (file == null || file.getFileName() == null) {
            Response.writeError(request, response, callback, 400, "no file");
            return;
          }
          file.writeTo(FOLDER.resolve(UUID.randomUUID().toString()));
          Content.Sink.write(response, true, "stored", callback);
        } catch (Exception failure) {
          Response.writeError(request, response, callback, failure);
        }
      }

      @Override
      public void failed(Throwable failure) {
        Response.writeError(request, response, callback, failure);
      }
    });
    return true;
  }

  public static void main(String[] args) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(System.getenv("HOST"));
    connector.setPort(Integer.parseInt(System.getenv("PORT")));
    connector.setAcceptQueueSize(Integer.parseInt(System.getenv("BACKLOG")));
    connector.setIdleTimeout(Long.parseLong(System.getenv("KEEP_ALIVE_TIMEOUT_MS")));
    server.addConnector(connector);
    server.setHandler(new UploadServer());
    server.setStopAtShutdown(true);
    server.start();
  }
}
