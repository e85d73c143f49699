package uploadlab.server;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An HTTP answer as it came.
 *
 * @param headers names in lower case
 */
record Answer(int status, Map<String, String> headers, byte[] body) {
  private static final Pattern ERROR =
      Pattern.compile("\\{\"error\":\\{\"code\":\"([a-z_]+)\",\"message\":\"[^\"]+\"}}");

  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** Status and error code, such as {@code 400 no_file}; the status alone when it is no error. */
  String summary() {
    Matcher error = ERROR.matcher(text());
    return error.matches() ? status + " " + error.group(1) : String.valueOf(status);
  }

  boolean closes() {
    return "close".equals(headers.get("connection"));
  }
}
