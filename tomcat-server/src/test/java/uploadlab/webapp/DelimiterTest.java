package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DelimiterTest {
  private static final Delimiter DELIMITER = new Delimiter("ab");

  @Test
  void the_first_whole_delimiter_is_found() {
    assertEquals(3, find("xyz\r\n--ab\r\n--ab"));
    assertEquals(0, find("\r\n--ab"));
    assertEquals(2, find("\r\n\r\n--ab"));
    assertEquals(4, find("\r\n--\r\n--ab"));
  }

  @Test
  void a_part_of_a_delimiter_is_none() {
    assertEquals(-1, find(""));
    assertEquals(-1, find("\r\n--a"));
    assertEquals(-1, find("--ab"));
    assertEquals(-1, find("\n--ab\r\n-ab\r--ab"));
  }

  @Test
  void only_the_given_range_is_searched() {
    byte[] buffer = bytes("\r\n--ab..\r\n--ab");
    assertEquals(8, DELIMITER.find(buffer, 1, buffer.length));
    assertEquals(-1, DELIMITER.find(buffer, 1, buffer.length - 1));
  }

  @Test
  void the_search_agrees_with_the_obvious_one_on_data_full_of_near_delimiters() {
    Random random = new Random(1);
    Delimiter delimiter = new Delimiter("-\r-");
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(60); j > 0; j--) {
        text.append("\r\n---".charAt(random.nextInt(5)));
      }
      byte[] buffer = bytes(text.toString());
      assertEquals(text.indexOf("\r\n---\r-"), delimiter.find(buffer, 0, buffer.length));
    }
  }

  private static int find(String text) {
    byte[] buffer = bytes(text);
    return DELIMITER.find(buffer, 0, buffer.length);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
