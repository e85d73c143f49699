package uploadlab.webapp;

import java.io.IOException;
import java.io.InputStream;

/**
 * A body that commons-fileupload reads for its delimiters and headers, while the content of the
 * parts goes past it.
 *
 * <p>As a stream it never hands out more than up to the end of a header section, so that the parser
 * has nothing of the content in its buffer when the headers are read. {@link #content()} then reads
 * up to the next delimiter, which is the next thing the parser sees. The result is the same as the
 * parser's own; its search, which looks at every byte through a table, costs more than everything
 * else a large upload needs.
 */
final class ContentBypass extends InputStream {
  private static final byte[] END_OF_HEADERS = {'\r', '\n', '\r', '\n'};

  private final InputStream body;
  private final Delimiter delimiter;
  private final byte[] buffer;
  private int head;
  private int tail;
  private int endOfHeadersSeen;

  ContentBypass(InputStream body, Delimiter delimiter, int bufferBytes) {
    this.body = body;
    this.delimiter = delimiter;
    this.buffer = new byte[bufferBytes];
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (head == tail && !fill()) {
      return -1;
    }
    int end = endOfHeaders(Math.min(tail, head + length));
    int count = end - head;
    System.arraycopy(buffer, head, target, offset, count);
    head = end;
    return count;
  }

  /** The content of the part whose headers were just read. */
  InputStream content() {
    return new Content();
  }

  /** Where the next header section ends, at most {@code limit}. */
  private int endOfHeaders(int limit) {
    for (int i = head; i < limit; i++) {
      if (buffer[i] == END_OF_HEADERS[endOfHeadersSeen]) {
        endOfHeadersSeen++;
      } else {
        endOfHeadersSeen = buffer[i] == END_OF_HEADERS[0] ? 1 : 0;
      }
      if (endOfHeadersSeen == END_OF_HEADERS.length) {
        endOfHeadersSeen = 0;
        return i + 1;
      }
    }
    return limit;
  }

  /** Reads more behind what is there; false at the end of the body. */
  private boolean fill() throws IOException {
    System.arraycopy(buffer, head, buffer, 0, tail - head);
    tail -= head;
    head = 0;
    int count = body.read(buffer, tail, buffer.length - tail);
    tail += Math.max(count, 0);
    return count > 0;
  }

  private final class Content extends InputStream {
    /** From head to here there is content. */
    private int safe;

    private boolean atDelimiter;

    Content() {
      search();
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      while (head == safe) {
        if (atDelimiter) {
          return -1;
        }
        if (!fill()) {
          throw RefusedException.malformed();
        }
        search();
      }
      int count = Math.min(length, safe - head);
      System.arraycopy(buffer, head, target, offset, count);
      head += count;
      return count;
    }

    private void search() {
      int found = delimiter.find(buffer, head, tail);
      atDelimiter = found >= 0;
      // The last bytes may be the beginning of a delimiter.
      safe = atDelimiter ? found : Math.max(head, tail - delimiter.length() + 1);
    }
  }
}
