package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DelimiterTest {
  @Test
  void only_the_given_range_is_searched() {
    Delimiter delimiter = new Delimiter("ab");
    byte[] buffer = bytes("\r\n--ab..\r\n--ab");
    assertEquals(8, delimiter.find(buffer, 1, buffer.length));
    assertEquals(-1, delimiter.find(buffer, 1, buffer.length - 1));
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

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
