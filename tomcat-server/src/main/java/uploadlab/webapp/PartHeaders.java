package uploadlab.webapp;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the headers of a part say. Own code, because commons-fileupload skips what it does not
 * understand and would drop such a part unseen.
 *
 * @param fieldName the form field, not empty
 * @param isFile whether the part names a file
 * @param isNamelessData whether the part holds data of unknown kind without naming a file
 */
record PartHeaders(String fieldName, boolean isFile, boolean isNamelessData) {
  private static final String END_OF_LINE = "\r\n";

  /**
   * Reads the headers of one part.
   *
   * @param section the lines, each ended by CRLF, and the empty line after them; one character a
   *     byte
   * @throws RefusedException when they do not follow the grammar
   */
  static PartHeaders parse(String section) throws RefusedException {
    Map<String, String> lines = lines(section);
    String disposition = lines.get("content-disposition");
    if (disposition == null) {
      throw RefusedException.malformed();
    }
    HeaderValue form = HeaderValue.parseExtended(disposition);
    String fieldName = form.text("name").orElse("");
    if (!form.value().equals("form-data") || fieldName.isEmpty()) {
      throw RefusedException.malformed();
    }
    boolean isFile =
        form.text("filename").filter(name -> !name.isEmpty()).isPresent()
            || form.text("filename*").isPresent();
    String type =
        Optional.ofNullable(lines.get("content-type")).map(HeaderValue::valueOf).orElse("");
    return new PartHeaders(fieldName, isFile, !isFile && type.equals("application/octet-stream"));
  }

  /**
   * The header lines by name in lower case, continued lines joined; of a repeated header the first.
   */
  private static Map<String, String> lines(String section) throws RefusedException {
    Map<String, String> lines = new HashMap<>();
    int start = 0;
    int end = endOfLine(section, 0);
    if (end == 0) {
      throw RefusedException.malformed();
    }
    while (end > start) {
      StringBuilder line = new StringBuilder(section.substring(start, end));
      start = end + END_OF_LINE.length();
      end = endOfLine(section, start);
      while (end > start && HeaderValue.isSpace(section.charAt(start))) {
        line.append(section, start, end);
        start = end + END_OF_LINE.length();
        end = endOfLine(section, start);
      }
      add(lines, line.toString());
    }
    return lines;
  }

  private static void add(Map<String, String> lines, String line) throws RefusedException {
    int colon = 0;
    while (colon < line.length() && HeaderValue.isToken(line.charAt(colon))) {
      colon++;
    }
    if (colon == 0 || colon == line.length() || line.charAt(colon) != ':') {
      throw RefusedException.malformed();
    }
    String value = line.substring(colon + 1);
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' && c != '\t' || c == 0x7f) {
        throw RefusedException.malformed();
      }
    }
    lines.putIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), value.strip());
  }

  private static int endOfLine(String section, int start) throws RefusedException {
    int end = section.indexOf(END_OF_LINE, start);
    if (end < 0) {
      throw RefusedException.malformed();
    }
    return end;
  }
}
