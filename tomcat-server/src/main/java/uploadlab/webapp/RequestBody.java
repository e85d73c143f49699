package uploadlab.webapp;

import java.io.IOException;
import java.io.InputStream;
import uploadlab.answer.ErrorCode;

/** The body of a request, never longer than is allowed. */
final class RequestBody extends InputStream {
  private final InputStream source;
  private final long limitBytes;
  private long readBytes;
  private boolean failed;

  RequestBody(InputStream source, long limitBytes) {
    this.source = source;
    this.limitBytes = limitBytes;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    boolean received = false;
    int read;
    try {
      read = source.read(buffer, offset, length);
      received = true;
    } finally {
      failed = !received;
    }
    if (read > 0) {
      readBytes += read;
      if (isTooLarge()) {
        throw new RefusedException(ErrorCode.REQUEST_TOO_LARGE);
      }
    }
    return read;
  }

  /** Reads and drops what is left of a body that is accepted. */
  void readToEnd(byte[] buffer) throws IOException {
    int read = 0;
    while (read >= 0) {
      read = read(buffer, 0, buffer.length);
    }
  }

  /**
   * Whether more was received than is allowed; the multipart parser may report that as a malformed
   * body.
   */
  boolean isTooLarge() {
    return readBytes > limitBytes;
  }

  /**
   * Whether reading has failed because the client went, stalled or sent an invalid transfer coding.
   */
  boolean hasFailed() {
    return failed;
  }
}
