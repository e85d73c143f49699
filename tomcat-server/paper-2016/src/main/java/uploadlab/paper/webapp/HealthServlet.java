package uploadlab.paper.webapp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Says that the server is ready. */
public final class HealthServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    byte[] ok = "{\"status\":\"ok\"}".getBytes(StandardCharsets.UTF_8);
    response.setContentType("application/json");
    response.setContentLength(ok.length);
    response.getOutputStream().write(ok);
  }
}
