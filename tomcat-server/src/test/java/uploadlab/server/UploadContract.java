package uploadlab.server;

import static java.util.Map.entry;
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
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
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

  static Stream<Arguments> goodForms() {
    return good(
        Map.ofEntries(
            entry("a preamble and an epilogue", bytes("hello\r\n", part("x"), END, "bye\r\n")),
            entry("an empty line in the preamble", bytes("a\r\n\r\nb\r\n", part("x"), END)),
            entry("no line end after the last delimiter", bytes(part("x"), END.trim())),
            entry("anything after the last delimiter", bytes(part("x"), END.trim(), "-x\r\n--lab")),
            entry("odd names of text fields", oddFields()),
            entry("data without a file name", bytes(octets(70_000), part("x"), END)),
            entry("a text field of 64 KiB", form(text("t", "y".repeat(65_536)), part("x"))),
            entry("100 parts", bytes(texts(99), part("x"), END)),
            entry("an unchosen file beside the file", bytes(unchosen("old"), part("x"), END))));
  }

  static Stream<Arguments> goodHeaders() {
    String named = "Content-Disposition: form-data; name=\"avatar\"; filename=";
    return good(
        Stream.of(
                "a: b\r\n continued: \r\n\tmore\r\n",
                "__proto__: 1\r\n",
                "Content-Length: 1\r\n",
                "Content-Type: multipart/mixed; boundary=" + BOUNDARY + "\r\n",
                "Content-Transfer-Encoding: base64\r\n",
                "Content-Disposition: form-data; name=other\r\n",
                "no-value:\r\n",
                longHeader(16_000),
                "CONTENT-DISPOSITION: FORM-DATA ;\tNAME=avatar; FILENAME=x\r\n",
                named + "\"a\";\r\n x=y\r\n",
                named + "a\r\nContent-Disposition: form-data\r\n",
                named + "\"..\"\r\n",
                named + "\"../../etc/passwd\"\r\n",
                named + "\"C:\\x\"\r\n",
                named + "\"a\\\"b; name=c\"\r\n",
                named + "\"\u00c3\u00a9 \u00ff\"\r\n",
                named + "\"=?utf-8?q?a?=\"\r\n",
                named + "\" %22%0A%00 \"\r\n",
                named + "a; filename*=UTF-8''%e2%82%ac\r\n",
                "Content-Disposition: form-data; filename*=iso-8859-1'en'a; name=avatar\r\n")
            .collect(Collectors.toMap(header -> header, header -> bytes(part(header, "x"), END))));
  }

  private static Stream<Arguments> good(Map<String, byte[]> bodies) {
    return bodies.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(body -> Arguments.of(body.getKey(), body.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"goodForms", "goodHeaders"})
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

  static Stream<Arguments> brokenFraming() {
    String named = "Content-Disposition: form-data; name=\"avatar\"; filename=";
    return malformed(
        Map.ofEntries(
            entry("an empty body", bytes()),
            entry("no delimiter", bytes("hello")),
            entry("another boundary", bytes("--other\r\n", "x", "--other--")),
            entry("no part", bytes(END)),
            entry("no last delimiter", bytes(part("x"))),
            entry("a cut file", bytes(DELIMITER, named, "x\r\n\r\nabc")),
            entry("a cut header", bytes(DELIMITER, named)),
            entry("a last delimiter without dashes", bytes(part("x"), "--" + BOUNDARY)),
            entry("a last delimiter with one dash", bytes(part("x"), "--" + BOUNDARY, "-")),
            entry("a space after the first delimiter", bytes(DELIMITER.trim(), " \r\n", "x")),
            entry(
                "a space after a later delimiter",
                bytes(part("x"), DELIMITER.trim(), " \r\n", part("x"), END)),
            entry(
                "data that begins a line with the boundary",
                bytes(part("x\r\n--" + BOUNDARY + "y"), END)),
            entry("a delimiter instead of data", bytes(part(DELIMITER + "x"), END)),
            entry("the last delimiter instead of data", bytes(part(END), END)),
            entry("line feeds only", bytes(new String(part("x")).replace("\r", ""), END)),
            entry("no empty line after the headers", bytes(DELIMITER, named, "x\r\n", END))));
  }

  static Stream<Arguments> brokenHeaders() {
    String named = "Content-Disposition: form-data; name=\"avatar\"; filename=";
    return malformed(
        Map.ofEntries(
            entry("no headers", bytes(DELIMITER, "\r\n", "x\r\n", END)),
            entry("no headers but an empty line", bytes(DELIMITER, "\r\n\r\n", "x\r\n", END)),
            entry(
                "a first line that continues nothing",
                bytes(DELIMITER, " a: b\r\n", named, "x\r\n\r\nx\r\n", END)),
            entry("no colon", bytes(part("nocolon\r\n", "x"), END)),
            entry("no name", bytes(part(": x\r\n", "x"), END)),
            entry("a space before the colon", bytes(part("a : x\r\n", "x"), END)),
            entry("a bare CR", bytes(part("a: b\rc\r\n", "x"), END)),
            entry("two CRs", bytes(part("a: b\r\r\n", "x"), END)),
            entry("a bare LF", bytes(part("a: b\nc\r\n", "x"), END)),
            entry("NUL", bytes(part("a: \0\r\n", "x"), END)),
            entry("DEL", bytes(part("a: \u007f\r\n", "x"), END)),
            entry("17,000 bytes", bytes(part(longHeader(17_000), "x"), END)),
            entry(
                "no disposition", bytes(DELIMITER, "Content-Type: image/png\r\n\r\nx\r\n", END))));
  }

  static Stream<Arguments> brokenDispositions() {
    String named = "form-data; name=\"avatar\"; filename=";
    return malformed(
        Stream.of(
                "attachment; name=avatar",
                "form-datax; name=avatar; filename=x",
                "form-data; filename=x",
                "form-data; name=\"\"; filename=x",
                "form-data; name; filename=x",
                "form-data name=avatar",
                named,
                named + "\"x",
                named + "\"x\\",
                named + "a b",
                named + "x;",
                named + "x; filename*=abc",
                named + "x; filename*=UTF-8''%4",
                named + "x; filename*=UTF-8''%zz",
                named + "x; filename*=UTF-8''",
                named + "x; filename*=\"UTF-8''a\"")
            .collect(
                Collectors.toMap(
                    value -> value,
                    value -> bytes(part("Content-Disposition: " + value + "\r\n", "x"), END))));
  }

  static Stream<Arguments> brokenRules() {
    byte[] tooLarge = data(MAX_FILE_BYTES + 1, 1);
    byte[] longText = text("t", "y".repeat(65_537));
    Stream<Arguments> rules =
        Stream.of(
            Arguments.of("text only", form(text("avatar", "x")), "400 no_file"),
            Arguments.of("no chosen file", bytes(unchosen(""), END), "400 no_file"),
            Arguments.of(
                "three files", form(part("x"), part("x"), part("x")), "400 too_many_files"),
            Arguments.of("a long text field", form(part("x"), longText), "413 field_too_large"),
            Arguments.of("101 parts", bytes(texts(100), part("x"), END), "413 too_many_parts"),
            Arguments.of(
                "a large second file",
                form(part("x"), file("avatar", tooLarge)),
                "413 file_too_large"));
    Stream<Arguments> fields =
        Stream.of("Avatar", " avatar", "avatar[]", "avatar[0]", "other", "=?utf-8?q?avatar?=")
            .map(
                field ->
                    Arguments.of(
                        "a file in " + field,
                        form(part("x"), file(field, bytes("x"))),
                        "400 unexpected_field"));
    return Stream.concat(rules, fields);
  }

  private static Stream<Arguments> malformed(Map<String, byte[]> bodies) {
    return bodies.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(body -> Arguments.of(body.getKey(), body.getValue(), "400 malformed_multipart"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"brokenFraming", "brokenHeaders", "brokenDispositions", "brokenRules"})
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
    boolean own =
        header.toLowerCase(Locale.ROOT).startsWith("content-disposition")
            && !header.contains("other");
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
