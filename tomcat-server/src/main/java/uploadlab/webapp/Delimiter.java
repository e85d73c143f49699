package uploadlab.webapp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What ends the content of a part: CRLF, two dashes and the boundary. Found by Horspool's algorithm
 * (R. N. Horspool, "Practical fast searching in strings", 1980), which looks at one byte in as many
 * as the delimiter is long; busboy, the parser on the other side of the comparison, searches the
 * same way. No library at hand offers it for byte arrays.
 */
final class Delimiter {
  private static final int BYTE_VALUES = 256;

  private final byte[] bytes;
  private final int[] shift = new int[BYTE_VALUES];

  Delimiter(String boundary) {
    bytes = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    int last = bytes.length - 1;
    Arrays.fill(shift, bytes.length);
    for (int i = 0; i < last; i++) {
      shift[bytes[i] & 0xff] = last - i;
    }
  }

  int length() {
    return bytes.length;
  }

  /**
   * The first place of the whole delimiter in {@code buffer} from {@code start} to before {@code
   * end}, or -1.
   */
  int find(byte[] buffer, int start, int end) {
    int last = bytes.length - 1;
    for (int i = start + last; i < end; i += shift[buffer[i] & 0xff]) {
      if (buffer[i] == bytes[last] && Arrays.equals(buffer, i - last, i, bytes, 0, last)) {
        return i - last;
      }
    }
    return -1;
  }
}
