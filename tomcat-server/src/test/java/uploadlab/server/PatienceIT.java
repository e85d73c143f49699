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
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that stall, crawl or go. */
class PatienceIT {
  private static final int IDLE_MS = 600;
  private static TomcatProcess server;

  @BeforeAll
  static void startServer() throws IOException {
    server =
        TomcatProcess.start(
            Map.of(
                "IDLE_TIMEOUT_MS",
                String.valueOf(IDLE_MS),
                "MIN_BODY_BYTES_PER_S",
                "60",
                "MAX_THREADS",
                "4"));
  }

  @AfterAll
  static void stopServer() throws IOException {
    assertEquals("", server.errors(), "the server must say nothing about clients that go");
    server.close();
  }

  @AfterEach
  void emptyFolder() throws IOException {
    server.removeStored();
  }

  @Test
  void a_stalled_body_is_answered_with_408_and_leaves_nothing() throws Exception {
    byte[] body = form(file("avatar", data(50_000, 1)));
    try (RawConnection connection = server.connect()) {
      connection.send(head(body.length));
      connection.send(body, body.length / 2);
      TomcatProcess.await("a file in progress", () -> server.openUploads() == 1);
      Answer answer = connection.receive();
      assertEquals("408 request_timeout", answer.summary());
      assertTrue(answer.closes());
      assertTrue(connection.isClosedByServer());
    }
    server.awaitNothingIncomplete();
    assertEquals(List.of(), server.stored());
  }

  @Test
  void a_stalled_drain_ends() throws IOException {
    // Not twice: once to drain, and once more by Tomcat.
    long limitNs = 1_900_000L * IDLE_MS;
    long tookNs = limitNs;
    for (int i = 0; i < 3 && tookNs >= limitNs; i++) { // a busy machine may pause in one of them
      try (RawConnection connection = server.connect()) {
        connection.send("POST /x HTTP/1.1\r\nHost: lab\r\nContent-Length: 1000\r\n\r\nabc");
        assertEquals("404 not_found", connection.receive().summary());
        long answered = System.nanoTime();
        assertTrue(connection.isClosedByServer());
        tookNs = System.nanoTime() - answered;
      }
    }
    assertTrue(tookNs < limitNs);
  }

  /** Every thread has such a client: before, nobody else was served until they ended. */
  @ParameterizedTest
  @CsvSource({"POST /getimages, 408", "POST /x, 404", "GET /health, 200"})
  void bodies_that_come_byte_by_byte_are_cut_and_others_are_served(String line, int status)
      throws Exception {
    byte[] request = bytes(head(1_000).replace("POST /getimages", line));
    List<RawConnection> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        crowd.add(server.connect());
        crowd.get(i).send(request);
      }
      byte[] upload = upload(form(file("avatar", data(1, 1))));
      FutureTask<Answer> other = new FutureTask<>(() -> server.send(upload));
      new Thread(other).start();
      while (!other.isDone()) {
        for (RawConnection slow : crowd) {
          slow.trySend("-");
        }
        Thread.sleep(IDLE_MS / 6);
      }
      assertEquals(200, other.get().status());
      assertEquals(status, crowd.get(0).receive().status());
      assertTrue(crowd.get(0).isClosedByServer());
    } finally {
      for (RawConnection slow : crowd) {
        slow.close();
      }
    }
  }

  @Test
  void clients_that_go_in_the_middle_leave_nothing() throws Exception {
    byte[] body = form(file("avatar", data(30_000, 1)), file("avatar", data(30_000, 2)));
    for (int i = 1; i <= 20; i++) {
      int sent = body.length * i / 21;
      try (RawConnection connection = server.connect()) {
        connection.send(head(body.length));
        connection.send(body, sent);
        if (i % 3 == 0) {
          connection.reset();
        } else if (i % 3 == 1) {
          connection.finish();
        }
      }
    }
    server.awaitNothingIncomplete();
    assertEquals(List.of(), server.stored());
    assertEquals(200, server.send(bytes(upload(form(file("avatar", data(1, 1)))))).status());
  }
}
