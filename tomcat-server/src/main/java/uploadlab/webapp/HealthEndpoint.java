package uploadlab.webapp;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Says that the server is ready. */
final class HealthEndpoint implements Router.Endpoint {
  private static final byte[] OK = "{\"status\":\"ok\"}".getBytes(StandardCharsets.UTF_8);

  @Override
  public List<String> methods() {
    return List.of("GET", "HEAD");
  }

  @Override
  public void answer(HttpServletRequest request, RequestBody body, HttpServletResponse response)
      throws IOException {
    response.setContentType("application/json; charset=utf-8");
    response.setContentLength(OK.length);
    response.getOutputStream().write(OK);
  }
}
