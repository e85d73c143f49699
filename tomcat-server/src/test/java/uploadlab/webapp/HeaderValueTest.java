package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderValueTest {

  @Test
  void value_and_parameters_are_read_in_any_case_and_with_any_space() throws Exception {
    HeaderValue value = HeaderValue.parse("Form-Data ;\tName=a;FILENAME=\"b c\" ");
    assertEquals("form-data", value.value());
    assertEquals(Optional.of("a"), value.text("name"));
    assertEquals(Optional.of("b c"), value.text("filename"));
    assertEquals(Optional.empty(), value.text("other"));
  }

  @Test
  void escapes_are_taken_out_of_quotes_and_nothing_else_is_decoded() throws Exception {
    HeaderValue value = HeaderValue.parse("x; a=\"\\\"q\\\\\\z %22 =?utf-8?q?a?= \"");
    assertEquals(Optional.of("\"q\\z %22 =?utf-8?q?a?= "), value.text("a"));
  }

  @Test
  void of_a_repeated_parameter_the_first_counts() throws Exception {
    assertEquals(Optional.of("1"), HeaderValue.parse("x; a=1; A=2").text("a"));
  }

  @Test
  void semicolons_and_equals_signs_inside_quotes_are_text() throws Exception {
    assertEquals(Optional.of("b; c=d"), HeaderValue.parse("x; a=\"b; c=d\"").text("a"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x;",
        "x; a",
        "x; a=",
        "x; =b",
        "x; a=\"b",
        "x; a=\"b\\",
        "x; a=b c",
        "x; a=b@c",
        "x y",
        "x; a =b",
        "x; a= b",
        "x; a=\"b\"c",
        "x;; a=b"
      })
  void what_does_not_follow_the_grammar_is_refused(String header) {
    assertThrows(RefusedException.class, () -> HeaderValue.parse(header));
  }
}
