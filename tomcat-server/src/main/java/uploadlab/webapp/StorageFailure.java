package uploadlab.webapp;

import java.io.IOException;
import java.util.List;
import uploadlab.answer.ErrorCode;

/** Tells a full disk from every other failure to store. */
final class StorageFailure {
  // The JDK has no exception for these; it passes on the operating system's text.
  private static final List<String> FULL =
      List.of("No space left on device", "Disk quota exceeded");

  private StorageFailure() {}

  static RefusedException of(IOException cause) {
    String message = String.valueOf(cause.getMessage());
    boolean full = FULL.stream().anyMatch(message::contains);
    return new RefusedException(
        full ? ErrorCode.INSUFFICIENT_STORAGE : ErrorCode.STORAGE_FAILED, cause);
  }
}
