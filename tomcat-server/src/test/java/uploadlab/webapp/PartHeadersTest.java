package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "filename*=utf-8'e_n'b",
        "filename=\"a\"; foo*=\"b\"",
        "foo*=b; filename=a",
        "filename=a; foo*=utf-8''a; foo*=utf-8''%zz"
      })
  void an_extended_value_must_be_one(String parameters) {
    assertThrows(
        RefusedException.class,
        () -> parse("Content-Disposition: form-data; name=f; " + parameters));
  }

  private static PartHeaders parse(String... lines) throws RefusedException {
    return PartHeaders.parse(String.join("\r\n", lines) + "\r\n\r\n");
  }
}
