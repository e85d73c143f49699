package uploadlab.webapp;

import java.io.IOException;
import java.util.List;
import uploadlab.answer.ErrorCode;

/** The request can't be accepted; says what the client is to be told. */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  // The JDK has no exception for these; it passes on the operating system's text.
  private static final List<String> FULL =
      List.of("No space left on device", "Disk quota exceeded");

  private final ErrorCode code;

  RefusedException(ErrorCode code) {
    super(code.message());
    this.code = code;
  }

  RefusedException(ErrorCode code, Throwable cause) {
    super(code.message(), cause);
    this.code = code;
  }

  /** The body, or the head that describes it, does not follow the grammar. */
  static RefusedException malformed() {
    return new RefusedException(ErrorCode.MALFORMED_MULTIPART);
  }

  /** Tells a full disk from every other failure to store. */
  static RefusedException storing(IOException cause) {
    String message = String.valueOf(cause.getMessage());
    boolean full = FULL.stream().anyMatch(message::contains);
    return new RefusedException(
        full ? ErrorCode.INSUFFICIENT_STORAGE : ErrorCode.STORAGE_FAILED, cause);
  }

  ErrorCode code() {
    return code;
  }
}
