package uploadlab.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import uploadlab.answer.ErrorCode;
import uploadlab.answer.JsonError;

/**
 * Finds who answers a request. Paths are compared as they were sent; Tomcat's own mapping would
 * decode and normalise them first.
 */
final class Router extends HttpServlet {

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

  private static final long serialVersionUID = 1;

  private final transient Map<String, Endpoint> endpoints;
  private final transient Limits limits;

  Router(Map<String, Endpoint> endpoints, Limits limits) {
    this.endpoints = Map.copyOf(endpoints);
    this.limits = limits;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    RequestBody body = new RequestBody(request.getInputStream(), limits.requestBytes());
    try {
      endpoint(request, response).answer(request, body, response);
    } catch (IOException e) {
      if (!body.hasFailed() && !response.isCommitted()) {
        JsonError.send(response, body.isTooLarge() ? ErrorCode.REQUEST_TOO_LARGE : codeOf(e));
      }
      // Otherwise Tomcat has taken over the answer: 408 or 400, or none when the client has gone.
    }
  }

  private static ErrorCode codeOf(IOException e) {
    return e instanceof RefusedException refused ? refused.code() : ErrorCode.INTERNAL_ERROR;
  }

  private Endpoint endpoint(HttpServletRequest request, HttpServletResponse response)
      throws RefusedException {
    Endpoint endpoint = endpoints.get(request.getRequestURI());
    if (endpoint == null) {
      throw new RefusedException(ErrorCode.NOT_FOUND);
    }
    if (!endpoint.methods().contains(request.getMethod())) {
      response.setHeader("Allow", String.join(", ", endpoint.methods()));
      throw new RefusedException(ErrorCode.METHOD_NOT_ALLOWED);
    }
    return endpoint;
  }
}
