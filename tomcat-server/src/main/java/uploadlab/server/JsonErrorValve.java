package uploadlab.server;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.ActionCode;
import uploadlab.answer.ErrorCode;
import uploadlab.answer.JsonError;

/**
 * Answers the errors that Tomcat itself finds in the form of the contract, instead of as an HTML
 * page.
 */
public final class JsonErrorValve extends ErrorReportValve {

  @Override
  protected void report(Request request, Response response, Throwable throwable) {
    if (response.getStatus() < 400
        || response.getContentWritten() > 0
        || !response.setErrorReported()) {
      return;
    }
    AtomicBoolean canWrite = new AtomicBoolean(false);
    response.getCoyoteResponse().action(ActionCode.IS_IO_ALLOWED, canWrite);
    if (!canWrite.get()) {
      return;
    }
    try {
      // Tomcat knows more statuses than there are codes.
      JsonError.send(response, response.getStatus(), code(response.getStatus()));
    } catch (IOException e) {
      // The client has gone; there is nobody to tell.
      container.getLogger().debug("error not delivered", e);
    }
  }

  private static ErrorCode code(int status) {
    return switch (status) {
      case 404 -> ErrorCode.NOT_FOUND;
      case 405 -> ErrorCode.METHOD_NOT_ALLOWED;
      case 408 -> ErrorCode.REQUEST_TIMEOUT;
      case 503 -> ErrorCode.UNAVAILABLE;
      default -> status < 500 ? ErrorCode.BAD_REQUEST : ErrorCode.INTERNAL_ERROR;
    };
  }
}
