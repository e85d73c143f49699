// https://undertow.io/undertow-docs/undertow-docs-2.1.0/index.html#form-data (read 2026-11-27): FormParserFactory in a blocking handler.
// Added: the file is moved to a UUID, the limits, the end on SIGTERM.
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.server.handlers.PathHandler;
import io.undertow.server.handlers.form.FormData;
import io.undertow.server.handlers.form.FormDataParser;
import io.undertow.server.handlers.form.FormParserFactory;
import io.undertow.server.handlers.form.MultiPartParserDefinition;
import java.nio.file.Path;
import java.util.UUID;
import org.xnio.Options;

public class Server {
  static final Path FOLDER = Path.of(System.getenv("UPLOAD_DIR"));
  static final FormParserFactory PARSERS =
      FormParserFactory.builder(false).addParser(new MultiPartParserDefinition(FOLDER)).build();

  static void upload(HttpServerExchange exchange) throws Exception {
    try (FormDataParser parser = PARSERS.createParser(exchange)) {
      FormData.FormValue file = parser == null ? null : parser.parseBlocking().getFirst("file");
      if (file == null || !file.isFileItem()) {
        exchange.setStatusCode(400).getResponseSender().send("no file");
        return;
      }
      file.getFileItem().write(FOLDER.resolve(UUID.randomUUID().toString()));
      exchange.getResponseSender().send("stored");
    }
  }

  public static void main(String[] args) {
    Undertow server =
        Undertow.builder()
            .addHttpListener(Integer.parseInt(System.getenv("PORT")), System.getenv("HOST"))
            .setSocketOption(Options.BACKLOG, Integer.parseInt(System.getenv("BACKLOG")))
            .setServerOption(UndertowOptions.MAX_ENTITY_SIZE, 230L << 20)
            .setServerOption(UndertowOptions.MULTIPART_MAX_ENTITY_SIZE, 230L << 20)
            .setServerOption(UndertowOptions.SHUTDOWN_TIMEOUT, 5000)
            .setHandler(new PathHandler().addExactPath("/upload", new BlockingHandler(Server::upload)))
            .build();
    Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    server.start();
  }
}
