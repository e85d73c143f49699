import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** The least a servlet on Tomcat can do with an upload: the whole body into one file, and the page. */
public final class ServletFloor extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final int BUFFER_BYTES = 65_536; // as the server reads

  private final String folder = System.getenv("UPLOAD_DIR");
  private final byte[] page;

  private ServletFloor(byte[] page) {
    this.page = page;
  }

  /** Serves the page of the given file on HOST and PORT, or prints the version of Tomcat. */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("versions")) {
      System.out.printf("{\"tomcat\": \"%s\"}%n", org.apache.catalina.util.ServerInfo.getServerNumber());
      return;
    }
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(System.getenv("RUN_DIR"));
    tomcat.setConnector(connector());
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "floor", new ServletFloor(Files.readAllBytes(Path.of(arguments[0]))));
    context.addServletMappingDecoded("/*", "floor");
    tomcat.start();
    tomcat.getServer().await();
  }

  private static Connector connector() {
    Connector connector = new Connector();
    connector.setPort(Integer.parseInt(System.getenv("PORT")));
    connector.setProperty("address", System.getenv("HOST"));
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("socket.appReadBufSize", String.valueOf(BUFFER_BYTES));
    return connector;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (request.getMethod().equals("POST")) {
      store(request.getInputStream());
    }
    response.setContentType("text/html; charset=utf-8");
    response.setContentLength(page.length);
    response.getOutputStream().write(page);
  }

  private void store(InputStream body) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (OutputStream file = Files.newOutputStream(Path.of(folder, UUID.randomUUID().toString()))) {
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        file.write(buffer, 0, read);
      }
    }
  }
}
