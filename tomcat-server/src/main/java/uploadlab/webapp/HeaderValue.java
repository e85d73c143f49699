package uploadlab.webapp;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A header value with parameters: {@code value *( OWS ";" OWS token "=" ( token / quoted-string )
 * )}, as in RFC 9110, section 5.6.6. Own code, because the parser of commons-fileupload accepts
 * anything and decodes what it should not.
 *
 * @param value what stands before the first parameter, in lower case
 * @param parameters by name in lower case; of a repeated name the first
 */
record HeaderValue(String value, Map<String, Parameter> parameters) {
  // RFC 8187, section 3.2: charset'language'value.
  private static final Pattern EXTENDED_VALUE =
      Pattern.compile("[\\w!#$%&+^`{}~-]+'[A-Za-z0-9-]*'(?:[\\w!#$&+.^`|~-]|%[0-9A-Fa-f]{2})+");

  /**
   * One parameter.
   *
   * @param text its value, without quotes and escapes
   * @param quoted whether it was in quotes
   */
  record Parameter(String text, boolean quoted) {
    private boolean isExtended() {
      return !quoted && EXTENDED_VALUE.matcher(text).matches();
    }
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(parameters.get(name)).map(Parameter::text);
  }

  /**
   * Reads a header value.
   *
   * @param header its text, one character a byte
   * @throws RefusedException when it does not follow the grammar
   */
  static HeaderValue parse(String header) throws RefusedException {
    return new Reader(header, false).read();
  }

  /**
   * Reads a header value whose parameters with a star at the end of their names are extended ones.
   *
   * @param header its text, one character a byte
   * @throws RefusedException when it does not follow the grammar, or that of RFC 8187
   */
  static HeaderValue parseExtended(String header) throws RefusedException {
    return new Reader(header, true).read();
  }

  /** What stands before the first parameter, in lower case, whatever follows. */
  static String valueOf(String header) {
    int end = 0;
    while (end < header.length() && !isSpace(header.charAt(end)) && header.charAt(end) != ';') {
      end++;
    }
    return header.substring(0, end).toLowerCase(Locale.ROOT);
  }

  /** Whether a character may stand in a token (RFC 9110, section 5.6.2). */
  static boolean isToken(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }

  static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }

  private static final class Reader {
    private final String header;
    private final boolean extended;
    private int position;

    Reader(String header, boolean extended) {
      this.header = header;
      this.extended = extended;
    }

    HeaderValue read() throws RefusedException {
      String value = valueOf(header);
      position = value.length();
      Map<String, Parameter> parameters = new LinkedHashMap<>();
      for (skipSpace(); position < header.length(); skipSpace()) {
        expect(';');
        skipSpace();
        String name = token().toLowerCase(Locale.ROOT);
        expect('=');
        Parameter parameter = at('"') ? quoted() : new Parameter(token(), false);
        if (extended && name.endsWith("*") && !parameter.isExtended()) {
          throw RefusedException.malformed();
        }
        parameters.putIfAbsent(name, parameter);
      }
      return new HeaderValue(value, parameters);
    }

    private boolean at(char c) {
      return position < header.length() && header.charAt(position) == c;
    }

    private void expect(char c) throws RefusedException {
      if (!at(c)) {
        throw RefusedException.malformed();
      }
      position++;
    }

    private void skipSpace() {
      while (position < header.length() && isSpace(header.charAt(position))) {
        position++;
      }
    }

    private String token() throws RefusedException {
      int start = position;
      while (position < header.length() && isToken(header.charAt(position))) {
        position++;
      }
      if (position == start) {
        throw RefusedException.malformed();
      }
      return header.substring(start, position);
    }

    private Parameter quoted() throws RefusedException {
      expect('"');
      StringBuilder text = new StringBuilder();
      while (!at('"')) {
        if (at('\\')) {
          position++;
        }
        if (position >= header.length()) {
          throw RefusedException.malformed();
        }
        text.append(header.charAt(position++));
      }
      expect('"');
      return new Parameter(text.toString(), true);
    }
  }
}
