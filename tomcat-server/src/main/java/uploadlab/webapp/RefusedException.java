package uploadlab.webapp;

import java.io.IOException;
import uploadlab.answer.ErrorCode;

/** The request can't be accepted; says what the client is to be told. */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  private final ErrorCode code;

  RefusedException(ErrorCode code) {
    super(code.message());
    this.code = code;
  }

  RefusedException(ErrorCode code, Throwable cause) {
    super(code.message(), cause);
    this.code = code;
  }

  ErrorCode code() {
    return code;
  }
}
