package uploadlab.answer;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Writes an error as the contract has it: {@code {"error":{"code":...,"message":...}}}. */
public final class JsonError {
  private static final Map<ErrorCode, byte[]> BODIES = new EnumMap<>(ErrorCode.class);

  static {
    for (ErrorCode code : ErrorCode.values()) {
      String name = code.name().toLowerCase(Locale.ROOT);
      String body =
          "{\"error\":{\"code\":\"" + name + "\",\"message\":\"" + code.message() + "\"}}";
      BODIES.put(code, body.getBytes(StandardCharsets.UTF_8));
    }
  }

  private JsonError() {}

  /**
   * Sends the error and flushes it, so that the client has it while its body is still being read.
   * The connection is closed after every error.
   *
   * @param response a response that is not committed
   * @param code what went wrong
   * @throws IOException when the client can't be reached
   */
  public static void send(HttpServletResponse response, ErrorCode code) throws IOException {
    send(response, code.status(), code);
  }

  /**
   * Sends the error with another status than its own.
   *
   * @param response a response that is not committed
   * @param status 400 to 599
   * @param code what went wrong
   * @throws IOException when the client can't be reached
   */
  public static void send(HttpServletResponse response, int status, ErrorCode code)
      throws IOException {
    byte[] body = BODIES.get(code);
    response.setStatus(status);
    response.setHeader("Connection", "close");
    response.setContentType("application/json; charset=utf-8");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
    response.flushBuffer();
  }
}
