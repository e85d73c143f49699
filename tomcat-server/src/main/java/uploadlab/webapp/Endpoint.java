package uploadlab.webapp;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/** What answers the requests to one path. */
interface Endpoint {
  /** The methods it answers, as the header Allow names them. */
  List<String> methods();

  /**
   * Answers one request.
   *
   * @throws RefusedException when the client is to be told of an error; nothing was answered yet
   * @throws IOException when the client can't be reached
   */
  void answer(HttpServletRequest request, RequestBody body, HttpServletResponse response)
      throws IOException;
}
