package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static uploadlab.server.Requests.bytes;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are not HTTP, and the largest heads that are. */
class HttpIT {
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
  void a_damaged_chunk_leaves_nothing() throws Exception {
    String request =
        "POST /getimages HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n"
            + "Content-Type: multipart/form-data; boundary=lab-boundary\r\n\r\n";
    byte[] part = file("avatar", data(1000, 1));
    byte[] chunk = bytes(Integer.toHexString(part.length), "\r\n", part, "\r\n");
    assertEquals("400 bad_request", server.send(bytes(request, chunk, "zz\r\nabc\r\n")).summary());
    server.awaitNothingIncomplete();
    assertEquals(List.of(), server.stored());
  }
}
