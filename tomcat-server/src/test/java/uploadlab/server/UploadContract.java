package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static uploadlab.server.Requests.BOUNDARY;
import static uploadlab.server.Requests.DELIMITER;
import static uploadlab.server.Requests.END;
import static uploadlab.server.Requests.bytes;
import static uploadlab.server.Requests.chunked;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.head;
import static uploadlab.server.Requests.text;
import static uploadlab.server.Requests.upload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is stored and what is refused, the same for every way of looking for the end of a file. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class UploadContract {
  private static final int MAX_FILE_BYTES = 100_000;
  private static final int MAX_REQUEST_BYTES = 250_000;

  private final String search;
  private TomcatProcess server;

  UploadContract(String search) {
    this.search = search;
  }

  @BeforeAll
  void startServer() throws IOException {
    server =
        TomcatProcess.start(
            Map.of(
                "DELIMITER_SEARCH",
                search,
                "MAX_FILE_BYTES",
                String.valueOf(MAX_FILE_BYTES),
                "MAX_REQUEST_BYTES",
                String.valueOf(MAX_REQUEST_BYTES),
                "IDLE_TIMEOUT_MS",
                "10000"));
  }

  @AfterAll
  void stopServer() throws IOException {
    assertEquals("", server.errors(), "the server must say nothing about requests");
    server.close();
  }

  @AfterEach
  void emptyFolder() throws IOException {
    server.removeStored();
  }

  // Good uploads.

  @Test
  void a_file_is_stored_exactly_under_a_new_uuid() throws IOException {
    byte[] data = data(70_000, 1);
    Answer answer = server.send(upload(form(file("avatar", data))));
    assertPage(answer);
    assertStored(data);
    String name = server.stored().get(0).getFileName().toString();
    assertTrue(name.matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }

  @Test
  void two_files_are_stored_and_text_fields_around_them_ignored() throws IOException {
    byte[] first = data(10, 1);
    byte[] second = data(65_536, 2);
    byte[] body =
        form(
            text("a", "x"),
            file("avatar", first),
            text("avatar", "y"),
            file("avatar", second),
            text("a", "z"));
    assertPage(server.send(upload(body)));
    assertStored(first, second);
  }

  @Test
  void a_chunked_body_is_stored_like_one_with_a_length() throws IOException {
    byte[] data = data(50_000, 3);
    assertPage(server.send(chunked(form(file("avatar", data)), 777)));
    assertStored(data);
  }

  @Test
  void a_body_that_arrives_byte_by_byte_is_stored() throws IOException {
    byte[] data = bytes("a\r\n--", BOUNDARY.substring(1), "\r\n--lab-boundarx\r\n\r");
    byte[] request = upload(form(text("t", "v"), file("avatar", data)));
    try (RawConnection connection = server.connect()) {
      for (byte b : request) {
        connection.send(new byte[] {b});
      }
      assertPage(connection.receive());
    }
    assertStored(data);
  }

  @Test
  void a_body_cut_in_two_anywhere_is_stored() throws IOException {
    byte[] data = bytes("\r\n--lab-boundar", "\r\n\r\n-lab-boundary\n\r");
    byte[] body = form(file("avatar", data), file("avatar", new byte[0]));
    try (RawConnection connection = server.connect()) {
      for (int cut = 0; cut <= body.length; cut++) {
        connection.send(head(body.length));
        connection.send(body, cut);
        connection.send(Arrays.copyOfRange(body, cut, body.length));
        assertPage(connection.receive());
      }
    }
    assertEquals(2 * (body.length + 1), server.stored().size());
    for (Path stored : server.stored()) {
      byte[] content = Files.readAllBytes(stored);
      assertTrue(content.length == 0 || Arrays.equals(content, data));
    }
  }

  static Stream<Arguments> goodBodies() {
    String named = "Content-Disposition: form-data; name=\"avatar\"; filename=";
    return Stream.of(
        Arguments.of("a preamble and an epilogue", bytes("hello\r\n", part("x"), END, "bye\r\n")),
        Arguments.of("no line end after the last delimiter", bytes(part("x"), END.trim())),
        Arguments.of(
            "anything after the last delimiter", bytes(part("x"), END.trim(), "-x\r\n--lab")),
        Arguments.of("a continued header", bytes(part(named + "\"a\";\r\n x=y\r\n", "x"), END)),
        Arguments.of("repeated headers", bytes(part(named + "a\r\n" + named + "\r\n", "x"), END)),
        Arguments.of("a header named __proto__", bytes(part("__proto__: 1\r\n", "x"), END)),
        Arguments.of("a false length", bytes(part("Content-Length: 1\r\n", "x"), END)),
        Arguments.of("a header of 16,000 bytes", bytes(part(longHeader(16_000), "x"), END)),
        Arguments.of("a nested form", bytes(part("Content-Type: multipart/mixed\r\n", "x"), END)),
        Arguments.of(
            "a transfer encoding", bytes(part("Content-Transfer-Encoding: base64\r\n", "x"), END)),
        Arguments.of("words in capitals", bytes(DELIMITER, CAPITALS, "\r\n\r\nx\r\n", END)),
        Arguments.of("a name of dots", bytes(part(named + "\"..\"\r\n", "x"), END)),
        Arguments.of("a path", bytes(part(named + "\"../../etc/passwd\"\r\n", "x"), END)),
        Arguments.of("a Windows path", bytes(part(named + "\"C:\\x\"\r\n", "x"), END)),
        Arguments.of("a quoted quote", bytes(part(named + "\"a\\\"b\"\r\n", "x"), END)),
        Arguments.of("raw bytes in a name", bytes(part(named + "\"\u00c3\u00a9\"\r\n", "x"), END)),
        Arguments.of("an encoded word", bytes(part(named + "\"=?utf-8?q?a?=\"\r\n", "x"), END)),
        Arguments.of(
            "an extended name", bytes(part(named + "a; filename*=UTF-8''%e2%82%ac\r\n", "x"), END)),
        Arguments.of(
            "only an extended name",
            bytes(
                part(
                    "Content-Disposition: form-data; name=avatar; filename*=iso-8859-1'en'a\r\n",
                    "x"),
                END)),
        Arguments.of("text fields with odd names", oddFields()),
        Arguments.of("data without a file name", bytes(octets(70_000), part("x"), END)),
        Arguments.of(
            "a text field of 64 KiB", bytes(text("t", "y".repeat(65_536)), part("x"), END)),
        Arguments.of("100 parts", bytes(texts(99), part("x"), END)),
        Arguments.of(
            "an unchosen file beside the file", bytes(unchosen("old data"), part("x"), END)));
  }

  private static final String CAPITALS =
      "CONTENT-DISPOSITION: FORM-DATA; NAME=\"avatar\"; FILENAME=\"x\"";

  @ParameterizedTest(name = "{0}")
  @MethodSource("goodBodies")
  void a_good_form_is_accepted(String what, byte[] body) throws IOException {
    assertPage(server.send(upload(body)));
    assertStored(bytes("x"));
  }

  @ParameterizedTest
  @MethodSource("boundaries")
  void every_legal_boundary_is_accepted(String parameter, String boundary) throws IOException {
    byte[] body =
        bytes(
            "--" + boundary + "\r\n",
            "Content-Disposition: form-data; name=\"avatar\"; filename=\"x\"\r\n\r\nx\r\n--",
            boundary + "--");
    assertPage(server.send(request("Multipart/Form-Data" + parameter, body)));
    assertStored(bytes("x"));
  }

  static Stream<Arguments> boundaries() {
    String longest = "b".repeat(70);
    return Stream.of(
        Arguments.of("; boundary=x", "x"),
        Arguments.of("; boundary=" + longest, longest),
        Arguments.of("; charset=utf-8 ;\tBOUNDARY=\"a'()+_,-./:=? z\"", "a'()+_,-./:=? z"),
        Arguments.of("; boundary=first; boundary=second", "first"));
  }

  // Bad uploads.

  static Stream<Arguments> badBodies() {
    String named = "Content-Disposition: form-data; name=\"avatar\"; filename=";
    String malformed = "400 malformed_multipart";
    List<Arguments> cases = new ArrayList<>();
    Map.<String, byte[]>ofEntries(
            Map.entry("an empty body", bytes()),
            Map.entry("no delimiter", bytes("hello")),
            Map.entry("another boundary", bytes("--other\r\n", "x", "--other--")),
            Map.entry("no part", bytes(END)),
            Map.entry("no last delimiter", bytes(part("x"))),
            Map.entry("a cut file", bytes(DELIMITER, named, "x\r\n\r\nabc")),
            Map.entry("a cut header", bytes(DELIMITER, named)),
            Map.entry("a last delimiter without dashes", bytes(part("x"), "--" + BOUNDARY)),
            Map.entry("a last delimiter with one dash", bytes(part("x"), "--" + BOUNDARY, "-")),
            Map.entry("a space after the first delimiter", bytes(DELIMITER.trim(), " \r\n", "x")),
            Map.entry(
                "a space after a later delimiter",
                bytes(part("x"), DELIMITER.trim(), " \r\n", part("x"), END)),
            Map.entry(
                "data that begins a line with the boundary",
                bytes(part("x\r\n--" + BOUNDARY + "y"), END)),
            Map.entry("line feeds only", bytes(new String(part("x")).replace("\r", ""), END)),
            Map.entry("a header without colon", bytes(part("nocolon\r\n", "x"), END)),
            Map.entry("a header without name", bytes(part(": x\r\n", "x"), END)),
            Map.entry("a space before the colon", bytes(part("a : x\r\n", "x"), END)),
            Map.entry(
                "a first line that continues nothing",
                bytes(DELIMITER, " a: b\r\n", named, "x\r\n\r\nx\r\n", END)),
            Map.entry("a bare CR in a header", bytes(part("a: b\rc\r\n", "x"), END)),
            Map.entry("a bare LF in a header", bytes(part("a: b\nc\r\n", "x"), END)),
            Map.entry("NUL in a header", bytes(part("a: \0\r\n", "x"), END)),
            Map.entry("DEL in a header", bytes(part("a: \u007f\r\n", "x"), END)),
            Map.entry("no headers", bytes(DELIMITER, "\r\n", "x\r\n", END)),
            Map.entry("no empty line after the headers", bytes(DELIMITER, named, "x\r\n", END)),
            Map.entry("headers of 17,000 bytes", bytes(part(longHeader(17_000), "x"), END)),
            Map.entry(
                "no disposition", bytes(DELIMITER, "Content-Type: image/png\r\n\r\nx\r\n", END)),
            Map.entry(
                "another disposition",
                bytes(part("Content-Disposition: attachment; name=avatar\r\n", "x"), END)),
            Map.entry(
                "no field name",
                bytes(part("Content-Disposition: form-data; filename=x\r\n", "x"), END)),
            Map.entry(
                "an empty field name",
                bytes(part("Content-Disposition: form-data; name=\"\"; filename=x\r\n", "x"), END)),
            Map.entry("a file name without value", bytes(part(named + "\r\n", "x"), END)),
            Map.entry("an unclosed quote", bytes(part(named + "\"x\r\n", "x"), END)),
            Map.entry("a file name that is no token", bytes(part(named + "a b\r\n", "x"), END)),
            Map.entry("a semicolon at the end", bytes(part(named + "x;\r\n", "x"), END)),
            Map.entry(
                "an extended name without quotes",
                bytes(part(named + "x; filename*=abc\r\n", "x"), END)),
            Map.entry(
                "an extended name with a bad escape",
                bytes(part(named + "x; filename*=UTF-8''%4\r\n", "x"), END)),
            Map.entry(
                "an empty extended name",
                bytes(part(named + "x; filename*=UTF-8''\r\n", "x"), END)),
            Map.entry(
                "a quoted extended name",
                bytes(part(named + "x; filename*=\"UTF-8''a\"\r\n", "x"), END)))
        .forEach((what, body) -> cases.add(Arguments.of(what, body, malformed)));
    cases.add(Arguments.of("text only", form(text("avatar", "x")), "400 no_file"));
    cases.add(Arguments.of("no chosen file", bytes(unchosen(""), END), "400 no_file"));
    cases.add(
        Arguments.of(
            "three files", bytes(part("x"), part("x"), part("x"), END), "400 too_many_files"));
    for (String field : List.of("Avatar", " avatar", "avatar[]", "avatar[0]", "other")) {
      cases.add(
          Arguments.of(
              "a file in " + field,
              bytes(part("x"), file(field, bytes("x")), END),
              "400 unexpected_field"));
    }
    cases.add(
        Arguments.of(
            "a text field over 64 KiB",
            bytes(part("x"), text("t", "y".repeat(65_537)), END),
            "413 field_too_large"));
    cases.add(Arguments.of("101 parts", bytes(texts(100), part("x"), END), "413 too_many_parts"));
    cases.add(
        Arguments.of(
            "a second file over the limit",
            form(file("avatar", data(10, 1)), file("avatar", data(MAX_FILE_BYTES + 1, 1))),
            "413 file_too_large"));
    return cases.stream().sorted(Comparator.comparing(a -> a.get()[0].toString()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badBodies")
  void a_bad_form_is_refused_with_its_code_and_leaves_nothing(
      String what, byte[] body, String expected) throws IOException {
    assertRefused(expected, upload(body));
    assertRefused(expected, chunked(body, 1000));
  }

  static Stream<Arguments> badTypes() {
    String malformed = "400 malformed_multipart";
    String unsupported = "415 unsupported_media_type";
    return Stream.of(
        Arguments.of(null, unsupported),
        Arguments.of("text/plain", unsupported),
        Arguments.of("multipart/mixed; boundary=lab-boundary", unsupported),
        Arguments.of("multipart/form-dataX; boundary=lab-boundary", unsupported),
        Arguments.of("multipart/form-data", malformed),
        Arguments.of("multipart/form-data; boundary=", malformed),
        Arguments.of("multipart/form-data; boundary=\"\"", malformed),
        Arguments.of("multipart/form-data; boundary=lab boundary", malformed),
        Arguments.of("multipart/form-data; boundary=\"lab-boundary", malformed),
        Arguments.of("multipart/form-data; boundary=\"ends in a space \"", malformed),
        Arguments.of("multipart/form-data; boundary=\"b@d\"", malformed),
        Arguments.of("multipart/form-data; boundary=" + "b".repeat(71), malformed),
        Arguments.of("multipart/form-data; boundary=lab-boundary;", malformed));
  }

  @ParameterizedTest
  @MethodSource("badTypes")
  void a_bad_content_type_is_refused(String contentType, String expected) throws IOException {
    assertRefused(expected, request(contentType, form(file("avatar", bytes("x")))));
  }

  // Limits.

  @Test
  void a_file_may_have_the_limit_and_not_one_byte_more() throws IOException {
    for (int size : new int[] {MAX_FILE_BYTES - 1, MAX_FILE_BYTES}) {
      byte[] data = data(size, size);
      assertPage(server.send(upload(form(file("avatar", data)))));
      assertStored(data);
      server.removeStored();
      assertPage(server.send(chunked(form(file("avatar", data)), 8192)));
      assertStored(data);
      server.removeStored();
    }
    byte[] tooLarge = form(file("avatar", data(MAX_FILE_BYTES + 1, 1)));
    assertRefused("413 file_too_large", upload(tooLarge));
    assertRefused("413 file_too_large", chunked(tooLarge, 8192));
  }

  @Test
  void a_body_may_have_the_limit_and_not_one_byte_more() throws IOException {
    for (int size : new int[] {MAX_REQUEST_BYTES - 1, MAX_REQUEST_BYTES}) {
      byte[] body = bodyOf(size);
      assertPage(server.send(upload(body)));
      assertPage(server.send(chunked(body, 4096)));
      server.removeStored();
    }
    byte[] tooLarge = bodyOf(MAX_REQUEST_BYTES + 1);
    assertRefused("413 request_too_large", upload(tooLarge));
    assertRefused("413 request_too_large", chunked(tooLarge, 4096));
  }

  @Test
  void a_body_over_the_limit_inside_a_file_or_in_the_preamble_is_refused() throws IOException {
    byte[] inPreamble = bytes(new byte[MAX_REQUEST_BYTES], "\r\n", part("x"), END);
    assertRefused("413 request_too_large", chunked(inPreamble, 4096));
    byte[] large = data(MAX_FILE_BYTES, 1);
    byte[] inText = bytes(octets(100_000), file("avatar", large), file("avatar", large), END);
    assertRefused("413 request_too_large", chunked(inText, 4096));
  }

  @Test
  void a_client_over_the_limit_that_sends_everything_first_gets_the_answer() throws IOException {
    byte[] block = data(1 << 20, 1);
    int blocks = 64;
    try (RawConnection connection = server.connect()) {
      connection.send(head((long) blocks * block.length));
      for (int i = 0; i < blocks; i++) {
        connection.send(block);
      }
      Answer answer = connection.receive();
      assertEquals("413 request_too_large", answer.summary());
      assertTrue(answer.closes());
      assertTrue(connection.isClosedByServer());
    }
  }

  private void assertRefused(String expected, byte[] request) throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(request);
      Answer answer = connection.receive();
      assertEquals(expected, answer.summary());
      assertTrue(answer.headers().get("content-type").startsWith("application/json"));
      assertTrue(answer.closes(), "an error answer must close the connection");
      assertTrue(connection.isClosedByServer(), "the connection must be closed");
    }
    assertEquals(List.of(), server.stored());
    assertEquals(0, server.openUploads());
  }

  private static void assertPage(Answer answer) throws IOException {
    assertEquals(200, answer.status(), answer::text);
    assertEquals("text/html;charset=utf-8", answer.headers().get("content-type").replace(" ", ""));
    assertEquals(null, answer.headers().get("etag"));
    assertArrayEquals(Files.readAllBytes(Path.of("src/main/resources/page.html")), answer.body());
  }

  private void assertStored(byte[]... expected) throws IOException {
    List<byte[]> stored = new ArrayList<>();
    for (Path file : server.stored()) {
      stored.add(Files.readAllBytes(file));
    }
    Comparator<byte[]> order = Arrays::compare;
    stored.sort(order);
    byte[][] sorted = expected.clone();
    Arrays.sort(sorted, order);
    assertEquals(sorted.length, stored.size());
    for (int i = 0; i < sorted.length; i++) {
      assertArrayEquals(sorted[i], stored.get(i));
    }
  }

  private static byte[] request(String contentType, byte[] body) {
    String type = contentType == null ? "" : "Content-Type: " + contentType + "\r\n";
    return bytes(
        "POST /getimages HTTP/1.1\r\nHost: lab\r\n",
        type,
        "Content-Length: " + body.length + "\r\n\r\n",
        body);
  }

  /** A file with one more header line, or with a disposition of its own. */
  private static byte[] part(String header, String data) {
    String disposition = "Content-Disposition: form-data; name=\"avatar\"; filename=\"x\"\r\n";
    boolean own = header.startsWith("Content-Disposition");
    return bytes(DELIMITER, own ? header : disposition + header, "\r\n", data, "\r\n");
  }

  private static byte[] part(String data) {
    return part("", data);
  }

  private static byte[] unchosen(String data) {
    return part("Content-Disposition: form-data; name=\"avatar\"; filename=\"\"\r\n", data);
  }

  private static byte[] octets(int length) {
    return bytes(
        DELIMITER,
        "Content-Disposition: form-data; name=\"o\"\r\n",
        "Content-Type: Application/Octet-Stream\r\n\r\n",
        data(length, 5),
        "\r\n");
  }

  private static byte[] oddFields() {
    String nested = "a" + "[b]".repeat(1000);
    List<byte[]> parts = new ArrayList<>();
    for (String name :
        List.of("a[4294967294]", nested, "__proto__", "constructor[prototype]", "a[")) {
      parts.add(text(name, "v"));
    }
    parts.add(part("x"));
    return form(parts.toArray(byte[][]::new));
  }

  private static byte[] texts(int count) {
    return new String(text("t", "v")).repeat(count).getBytes();
  }

  /** One header line that makes the headers of a part that long. */
  private static String longHeader(int sectionBytes) {
    int others = part("", "").length - DELIMITER.length() - 2;
    String name = "X-Long: ";
    return name + "l".repeat(sectionBytes - others - name.length() - 2) + "\r\n";
  }

  private static byte[] bodyOf(int size) {
    byte[] large = data(MAX_FILE_BYTES, 1);
    byte[] rest = form(file("avatar", large), file("avatar", large));
    return bytes(new byte[size - rest.length - 2], "\r\n", rest);
  }
}
