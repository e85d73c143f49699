// https://vertx.io/docs/vertx-web/java/#_handling_file_uploads (read 2026-11-27): BodyHandler stores uploads under a UUID in its folder.
// Added: the limits, a request without a file is refused.
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;

public class Server extends AbstractVerticle {
  @Override
  public void start() {
    Router router = Router.router(vertx);
    router
        .post("/upload")
        .handler(BodyHandler.create(System.getenv("UPLOAD_DIR")).setBodyLimit(230L << 20))
        .handler(
            context -> {
              if (context.fileUploads().isEmpty()) {
                context.response().setStatusCode(400).end("no file");
              } else {
                context.response().end("stored");
              }
            });
    HttpServerOptions options =
        new HttpServerOptions()
            .setAcceptBacklog(Integer.parseInt(System.getenv("BACKLOG")))
            .setIdleTimeout(Integer.parseInt(System.getenv("KEEP_ALIVE_TIMEOUT_S")));
    vertx
        .createHttpServer(options)
        .requestHandler(router)
        .listen(Integer.parseInt(System.getenv("PORT")), System.getenv("HOST"));
  }

  public static void main(String[] args) {
    Vertx.vertx().deployVerticle(new Server());
  }
}
