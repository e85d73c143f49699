package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PartHeadersTest {

  @Test
  void a_part_with_a_file_name_is_a_file() throws Exception {
    assertEquals(
        new PartHeaders("f", true, false),
        parse("Content-Disposition: form-data; name=f; filename=x"));
  }

  @Test
  void a_part_with_only_an_extended_file_name_is_a_file() throws Exception {
    assertEquals(
        new PartHeaders("f", true, false),
        parse("Content-Disposition: form-data; name=f; filename*=UTF-8'de'%e4"));
  }

  @Test
  void a_part_with_an_empty_file_name_is_text() throws Exception {
    assertEquals(
        new PartHeaders("f", false, false),
        parse("Content-Disposition: form-data; name=f; filename=\"\""));
  }

  @Test
  void octets_without_a_file_name_are_nameless_data() throws Exception {
    assertEquals(
        new PartHeaders("f", false, true),
        parse(
            "Content-Disposition: form-data; name=f",
            "Content-Type: Application/Octet-Stream; a=b"));
  }

  @Test
  void a_continued_line_belongs_to_the_line_before() throws Exception {
    assertEquals(
        new PartHeaders("f", true, false),
        parse("content-disposition: form-data;", " name=f;", "\tfilename=x", "a: b"));
  }

  private static PartHeaders parse(String... lines) throws RefusedException {
    return PartHeaders.parse(String.join("\r\n", lines) + "\r\n\r\n");
  }
}
