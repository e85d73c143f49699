package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;
import uploadlab.answer.ErrorCode;

class RefusedExceptionTest {

  @Test
  void a_full_disk_and_a_full_quota_are_insufficient_storage() {
    assertEquals(
        ErrorCode.INSUFFICIENT_STORAGE,
        RefusedException.storing(new IOException("No space left on device")).code());
    assertEquals(
        ErrorCode.INSUFFICIENT_STORAGE,
        RefusedException.storing(new FileSystemException("/x", null, "Disk quota exceeded"))
            .code());
  }

  @Test
  void everything_else_is_a_failed_storage() {
    assertEquals(
        ErrorCode.STORAGE_FAILED,
        RefusedException.storing(new FileSystemException("/x", null, "Read-only file system"))
            .code());
    assertEquals(ErrorCode.STORAGE_FAILED, RefusedException.storing(new IOException()).code());
  }
}
