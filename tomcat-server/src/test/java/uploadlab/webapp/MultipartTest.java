package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.commons.fileupload2.core.FileUploadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MultipartTest {
  private static final String HEADERS = "Content-Disposition: form-data; name=f\r\n\r\n";

  @ParameterizedTest
  @EnumSource(Multipart.Search.class)
  void the_content_is_the_same_wherever_a_buffer_ends(Multipart.Search search) throws IOException {
    for (int length = 0; length < 3 * 200; length++) {
      String content = "\r\n--boundar\r".repeat(60).substring(0, length);
      assertEquals(List.of(content, "z"), contents(form(content, "z"), Integer.MAX_VALUE, search));
    }
  }

  @ParameterizedTest
  @EnumSource(Multipart.Search.class)
  void the_content_is_the_same_however_it_arrives(Multipart.Search search) throws IOException {
    String first = "\r\n\r\n--boundar\r\n--boundarx--";
    for (int atATime = 1; atATime < 40; atATime++) {
      assertEquals(List.of(first, "", "\r"), contents(form(first, "", "\r"), atATime, search));
    }
  }

  /** The two searches are the same parser: they agree on damaged bodies, too. */
  @Test
  void both_searches_give_the_same_result_for_ten_thousand_damaged_bodies() {
    Random random = new Random(2);
    String[] pieces = {
      "--boundary",
      "\r\n",
      "--",
      "\r",
      "\n",
      "x",
      "Content-Disposition: form-data; name=f",
      "\r\n\r\n",
      "\r\n--boundary\r\n" + HEADERS,
      "\r\n--boundary--"
    };
    int good = 0;
    for (int i = 0; i < 10_000; i++) {
      StringBuilder body = new StringBuilder("--boundary\r\n" + HEADERS);
      for (int j = random.nextInt(8); j > 0; j--) {
        body.append(pieces[random.nextInt(pieces.length)]);
      }
      body.append(random.nextInt(4) == 0 ? "" : "\r\n--boundary--");
      int atATime = 1 + random.nextInt(100);
      String result = result(body.toString(), atATime, Multipart.Search.COMMONS);
      assertEquals(
          result,
          result(body.toString(), atATime, Multipart.Search.HORSPOOL),
          () -> "body: " + body.toString().replace("\r", "\\r").replace("\n", "\\n"));
      good += result.startsWith("[") ? 1 : 0;
    }
    assertEquals(true, good > 1000 && good < 9000, "a mix of good and bad bodies: " + good);
  }

  private static String form(String... contents) {
    StringBuilder form = new StringBuilder("preamble\r\n\r\n\r\n");
    for (String content : contents) {
      form.append("--boundary\r\n").append(HEADERS).append(content).append("\r\n");
    }
    return form.append("--boundary--").toString();
  }

  private static String result(String body, int atATime, Multipart.Search search) {
    try {
      return contents(body, atATime, search).toString();
    } catch (RefusedException e) {
      return e.code().name();
    } catch (FileUploadException e) {
      return "MALFORMED_MULTIPART";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> contents(String body, int atATime, Multipart.Search search)
      throws IOException {
    InputStream source = new Trickle(body.getBytes(StandardCharsets.ISO_8859_1), atATime);
    Multipart form = Multipart.open(source, "boundary", 200, search);
    List<String> contents = new ArrayList<>();
    for (Multipart.Part part = form.next(); part != null; part = form.next()) {
      byte[] content = part.content().readAllBytes();
      contents.add(new String(content, StandardCharsets.ISO_8859_1));
    }
    return contents;
  }

  /** A body of which never more than so many bytes arrive at a time. */
  private static final class Trickle extends ByteArrayInputStream {
    private final int atATime;

    Trickle(byte[] body, int atATime) {
      super(body);
      this.atATime = atATime;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      return super.read(target, offset, Math.min(length, atATime));
    }
  }
}
