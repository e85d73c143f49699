package uploadlab.webapp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.commons.fileupload2.core.MultipartInput;
import uploadlab.answer.ErrorCode;

/**
 * The parts of a multipart/form-data body, one after the other, read with the streaming parser of
 * commons-fileupload.
 *
 * <p>Its {@code getItemIterator} is built on the same {@link MultipartInput}, but reads 4 KiB at a
 * time and hides what is wrong with a damaged body. Here the buffer is ours to choose and every
 * fault is an error.
 */
final class Multipart {

  /** Who looks for the delimiter that ends a part. */
  enum Search {
    /** The parser of commons-fileupload, which looks at every byte. */
    COMMONS,
    /** Horspool's algorithm, as busboy does; the parser sees delimiters and headers only. */
    HORSPOOL
  }

  static final String MEDIA_TYPE = "multipart/form-data";

  /** What the parser needs when no content passes through it: delimiters and short headers. */
  private static final int FRAMING_BUFFER_BYTES = 1024;

  // RFC 2046, section 5.1.1.
  private static final int LONGEST_BOUNDARY = 70;
  private static final String BOUNDARY_MARKS = "'()+_,-./:=? ";

  private final MultipartInput input;
  private final ContentBypass bypass;
  private final byte[] dashBoundary;
  private boolean started;
  private int parts;

  /** {@code bypass} is null where the parser itself reads the content. */
  private Multipart(MultipartInput input, ContentBypass bypass, String boundary) {
    this.input = input;
    this.bypass = bypass;
    this.dashBoundary = ("--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * One part, with its headers read and its content still to come.
   *
   * @param headers what its headers say
   * @param content its bytes
   */
  record Part(PartHeaders headers, InputStream content) {}

  /**
   * The boundary of a form.
   *
   * @param contentType the request's content type, its media type being multipart/form-data
   * @throws RefusedException when there is none, or not a legal one
   */
  static String boundary(String contentType) throws RefusedException {
    return HeaderValue.parse(contentType)
        .text("boundary")
        .filter(text -> isBoundary(text))
        .orElseThrow(RefusedException::malformed);
  }

  private static boolean isBoundary(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isBoundary(text.charAt(i))) {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= LONGEST_BOUNDARY && !text.endsWith(" ");
  }

  private static boolean isBoundary(char c) {
    return c >= '0' && c <= '9'
        || c >= 'A' && c <= 'Z'
        || c >= 'a' && c <= 'z'
        || BOUNDARY_MARKS.indexOf(c) >= 0;
  }

  /**
   * Starts reading a body.
   *
   * @param body the request body
   * @param boundary a legal boundary
   * @param bufferBytes how much to read at a time
   * @param search who looks for the end of a part
   */
  static Multipart open(InputStream body, String boundary, int bufferBytes, Search search)
      throws IOException {
    if (search == Search.COMMONS) {
      return new Multipart(parser(body, boundary, bufferBytes), null, boundary);
    }
    ContentBypass bypass = new ContentBypass(body, new Delimiter(boundary), bufferBytes);
    return new Multipart(parser(bypass, boundary, FRAMING_BUFFER_BYTES), bypass, boundary);
  }

  private static MultipartInput parser(InputStream body, String boundary, int bufferBytes)
      throws IOException {
    MultipartInput input =
        MultipartInput.builder()
            .setInputStream(body)
            .setBoundary(boundary.getBytes(StandardCharsets.ISO_8859_1))
            .setBufferSize(bufferBytes)
            .setMaxPartHeaderSize(Limits.PART_HEADER_BYTES)
            .get();
    // One character a byte: names are compared exactly and never shown.
    input.setHeaderCharset(StandardCharsets.ISO_8859_1);
    return input;
  }

  /**
   * The next part, or null after the last one. The content of the part before must have been read
   * to its end.
   */
  Part next() throws IOException {
    if (!nextBoundary()) {
      return null;
    }
    parts++;
    if (parts > Limits.PARTS) {
      throw new RefusedException(ErrorCode.TOO_MANY_PARTS);
    }
    PartHeaders headers = PartHeaders.parse(input.readHeaders());
    InputStream data = bypass == null ? input.newInputStream() : bypass.content();
    return new Part(headers, checkStart(data));
  }

  /**
   * A delimiter right after the headers would be taken for data: the line break before it is
   * missing.
   */
  private InputStream checkStart(InputStream data) throws IOException {
    byte[] start = data.readNBytes(dashBoundary.length);
    if (Arrays.equals(start, dashBoundary)) {
      throw RefusedException.malformed();
    }
    return new SequenceInputStream(new ByteArrayInputStream(start), data);
  }

  private boolean nextBoundary() throws IOException {
    if (started) {
      if (bypass != null) {
        // For the parser the part is empty; closing reads up to its delimiter.
        input.newInputStream().close();
      }
      return input.readBoundary();
    }
    started = true;
    if (!input.skipPreamble()) {
      // No boundary at all, a damaged one, or the final one at once: a form has at least one part.
      throw RefusedException.malformed();
    }
    return true;
  }
}
