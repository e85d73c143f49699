package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static uploadlab.server.Requests.bytes;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.head;
import static uploadlab.server.Requests.upload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths, methods and connections. */
class HttpIT {
  private static final byte[] GOOD = upload(form(file("avatar", bytes("x"))));
  private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: lab\r\n\r\n";
  private static TomcatProcess server;

  @BeforeAll
  static void startServer() throws IOException {
    server = TomcatProcess.start(Map.of());
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  @AfterEach
  void emptyFolder() throws IOException {
    server.removeStored();
  }

  @Test
  void health_is_answered_with_fifteen_bytes_of_json() throws IOException {
    Answer answer = server.send(bytes(HEALTH));
    assertEquals(200, answer.status());
    assertEquals("{\"status\":\"ok\"}", answer.text());
    assertTrue(answer.headers().get("content-type").startsWith("application/json"));
  }

  @Test
  void head_of_health_has_the_length_and_no_body() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(HEALTH.replace("GET", "HEAD"));
      assertEquals("15", connection.receiveHead().headers().get("content-length"));
      connection.send(HEALTH);
      assertEquals(200, connection.receive().status());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /getimages, POST",
    "OPTIONS, /getimages, POST",
    "PUT, /getimages, POST",
    "DELETE, /getimages, POST",
    "PATCH, /getimages, POST",
    "TRACE, /getimages, POST",
    "POST, /health, 'GET, HEAD'",
    "OPTIONS, /health, 'GET, HEAD'",
    "DELETE, /health, 'GET, HEAD'"
  })
  void another_method_is_refused_and_the_right_ones_named(String method, String path, String allow)
      throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(method + " " + path + " HTTP/1.1\r\nHost: lab\r\n\r\n");
      Answer answer = connection.receive();
      assertEquals("405 method_not_allowed", answer.summary());
      assertEquals(allow, answer.headers().get("allow"));
      assertTrue(answer.closes());
      assertTrue(connection.isClosedByServer());
    }
  }

  @Test
  void head_of_the_upload_path_is_refused_without_a_body() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send("HEAD /getimages HTTP/1.1\r\nHost: lab\r\n\r\n");
      Answer answer = connection.receiveHead();
      assertEquals(405, answer.status());
      assertEquals("POST", answer.headers().get("allow"));
      assertTrue(connection.isClosedByServer());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/getimages/",
        "/GETIMAGES",
        "//getimages",
        "/%67etimages",
        "/getimages;x=1",
        "/x/../getimages",
        "/getimages/x",
        "/WEB-INF/web.xml"
      })
  void the_path_is_compared_as_it_was_sent(String path) throws IOException {
    byte[] request = new String(GOOD).replace("/getimages", path).getBytes();
    assertEquals("404 not_found", server.send(request).summary());
    assertEquals(List.of(), server.stored());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/getimages?x=1&y", "http://lab/getimages"})
  void a_query_and_the_absolute_form_change_nothing(String target) throws IOException {
    byte[] request = new String(GOOD).replace("/getimages", target).getBytes();
    assertEquals(200, server.send(request).status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Host: a\r\nHost: a", "Host: a b", "Host: lab\r\n%s"})
  void a_head_that_breaks_the_rules_is_refused(String lines) throws IOException {
    String many = "a:b\r\n".repeat(1_000);
    String head = "GET /health HTTP/1.1\r\n" + lines.formatted(many) + "\r\n\r\n";
    assertEquals(400, server.send(head.getBytes()).status());
  }

  @Test
  void a_request_without_a_version_is_closed_without_an_answer() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send("GET /health\r\n\r\n");
      assertTrue(connection.isClosedByServer());
    }
  }

  @Test
  void a_connection_serves_more_than_a_hundred_requests() throws IOException {
    try (RawConnection connection = server.connect()) {
      for (int i = 0; i < 250; i++) {
        connection.send(GOOD);
        Answer answer = connection.receive();
        assertEquals(200, answer.status());
        assertTrue(!answer.closes());
      }
    }
    assertEquals(250, server.stored().size());
  }

  @Test
  void pipelined_requests_are_answered_in_order() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(bytes(GOOD, HEALTH, GOOD));
      assertEquals(200, connection.receive().status());
      assertEquals("{\"status\":\"ok\"}", connection.receive().text());
      assertEquals(200, connection.receive().status());
    }
    assertEquals(2, server.stored().size());
  }

  @Test
  void what_is_pipelined_behind_an_error_is_not_handled() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(bytes(upload(form(file("other", bytes("x")))), GOOD));
      assertEquals("400 unexpected_field", connection.receive().summary());
      assertTrue(connection.isClosedByServer());
    }
    assertEquals(List.of(), server.stored());
  }

  @ParameterizedTest
  @CsvSource({"HTTP/1.1, Connection: close", "HTTP/1.0, X-None: x"})
  void a_client_that_wants_the_connection_closed_is_obeyed(String version, String header)
      throws IOException {
    String request = new String(GOOD).replace("HTTP/1.1\r\n", version + "\r\n" + header + "\r\n");
    try (RawConnection connection = server.connect()) {
      connection.send(request);
      assertEquals(200, connection.receive().status());
      assertTrue(connection.isClosedByServer());
    }
  }

  @Test
  void a_client_that_asks_first_is_told_to_continue() throws IOException {
    byte[] body = form(file("avatar", bytes("x")));
    try (RawConnection connection = server.connect()) {
      connection.send(head(body.length).replace("Host:", "Expect: 100-continue\r\nHost:"));
      assertEquals(100, connection.receive().status());
      connection.send(body);
      assertEquals(200, connection.receive().status());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/x, multipart/form-data; boundary=lab-boundary, 10, 404 not_found",
    "/health, multipart/form-data; boundary=lab-boundary, 10, 405 method_not_allowed",
    "/getimages, text/plain, 10, 415 unsupported_media_type",
    "/getimages, multipart/form-data, 10, 400 malformed_multipart",
    "/getimages, multipart/form-data; boundary=b, 999999999, 413 request_too_large"
  })
  void a_client_that_asks_first_is_refused_at_once(
      String path, String type, long length, String expected) throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(
          "POST "
              + path
              + " HTTP/1.1\r\nHost: lab\r\nExpect: 100-continue\r\nContent-Type: "
              + type
              + "\r\nContent-Length: "
              + length
              + "\r\n\r\n");
      assertEquals(expected, connection.receive().summary());
      assertTrue(connection.isClosedByServer());
    }
  }

  @Test
  void a_head_of_fifteen_thousand_bytes_or_150_headers_is_accepted() throws IOException {
    String large = "X-Large: " + "x".repeat(14_900) + "\r\n";
    assertEquals(200, server.send(bytes(HEALTH.replace("Host", large + "Host"))).status());
    String many = "X-Many: x\r\n".repeat(150);
    assertEquals(200, server.send(bytes(HEALTH.replace("Host", many + "Host"))).status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /health HTTP/1.1\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: lab\r\nno colon\r\n\r\n",
        "GET /health\u0001 HTTP/1.1\r\nHost: lab\r\n\r\n",
        "nonsense\r\n\r\n",
        "POST /getimages HTTP/1.1\r\nHost: lab\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /getimages HTTP/1.1\r\nHost: lab\r\nContent-Length: many\r\n\r\n",
        "POST /getimages HTTP/1.1\r\nHost: lab\r\nContent-Length: -1\r\n\r\n",
      })
  void a_request_that_is_not_http_is_refused_without_a_stack_trace(String request)
      throws IOException {
    Answer answer = server.send(bytes(request));
    assertEquals("400 bad_request", answer.summary());
    assertTrue(answer.closes());
  }

  @Test
  void a_head_over_seventeen_thousand_bytes_is_refused() throws IOException {
    String large = "X-Large: " + "x".repeat(17_000) + "\r\n";
    assertEquals(400, server.send(bytes(HEALTH.replace("Host", large + "Host"))).status());
  }

  @Test
  void another_expectation_and_an_unknown_coding_are_refused() throws IOException {
    assertEquals(417, server.send(bytes(HEALTH.replace("Host", "Expect: magic\r\nHost"))).status());
    assertEquals(
        501,
        server.send(bytes(HEALTH.replace("Host", "Transfer-Encoding: magic\r\nHost"))).status());
  }

  @Test
  void a_damaged_chunk_leaves_nothing() throws IOException {
    String request =
        "POST /getimages HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n"
            + "Content-Type: multipart/form-data; boundary=lab-boundary\r\n\r\n";
    byte[] part = file("avatar", data(1000, 1));
    byte[] chunk = bytes(Integer.toHexString(part.length), "\r\n", part, "\r\n");
    assertEquals("400 bad_request", server.send(bytes(request, chunk, "zz\r\nabc\r\n")).summary());
    server.awaitNothingIncomplete();
    assertEquals(List.of(), server.stored());
  }

  @Test
  void a_thousand_connections_at_once_are_all_served() throws IOException {
    List<RawConnection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < 1000; i++) {
        connections.add(server.connect());
      }
      for (RawConnection connection : connections) {
        connection.send(GOOD);
      }
      for (RawConnection connection : connections) {
        assertEquals(200, connection.receive().status());
      }
    } finally {
      for (RawConnection connection : connections) {
        connection.close();
      }
    }
    assertEquals(1000, server.stored().size());
  }
}
