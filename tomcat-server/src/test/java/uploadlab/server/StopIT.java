package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.head;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The signal to stop, and the kill that gives no time. */
class StopIT {
  private final byte[] body = form(file("avatar", data(60_000, 1)));

  @Test
  void a_request_in_flight_is_finished_then_the_server_exits_with_zero() throws Exception {
    try (TomcatProcess server = TomcatProcess.start(Map.of());
        RawConnection idle = server.connect();
        RawConnection connection = server.connect()) {
      idle.send("GET /health HTTP/1.1\r\nHost: lab\r\n\r\n");
      assertEquals(200, idle.receive().status());
      beginUpload(server, connection);
      server.terminate();
      TomcatProcess.await("no new connections", () -> isRefused(server));
      assertTrue(idle.isClosedByServer(), "an idle connection waits for nobody's upload");
      connection.send(Arrays.copyOfRange(body, body.length / 2, body.length));
      Answer answer = connection.receive();
      assertEquals(200, answer.status());
      assertTrue(answer.closes());
      assertTrue(connection.isClosedByServer());
      assertEquals(0, server.exitCode());
      assertEquals(1, server.stored().size());
      assertEquals("", server.errors());
    }
  }

  @Test
  void a_request_that_takes_too_long_is_cut_and_leaves_nothing() throws Exception {
    try (TomcatProcess server = TomcatProcess.start(Map.of("STOP_GRACE_MS", "300"));
        RawConnection connection = server.connect()) {
      beginUpload(server, connection);
      server.terminate();
      assertThrows(IOException.class, () -> connection.receive());
      assertEquals(0, server.exitCode());
      assertEquals(List.of(), server.stored());
    }
  }

  @Test
  void after_a_kill_only_hidden_files_are_incomplete_and_the_next_start_removes_them()
      throws Exception {
    Path folder;
    try (TomcatProcess server = TomcatProcess.start(Map.of());
        RawConnection connection = server.connect()) {
      beginUpload(server, connection);
      folder = server.uploadFolder();
      server.kill();
      assertEquals(1, server.stored().size());
      assertTrue(
          server.stored().get(0).getFileName().toString().matches("\\.incomplete-[0-9a-f-]{36}"));
      try (TomcatProcess next = TomcatProcess.start(folder, Map.of())) {
        assertEquals(List.of(), next.stored());
      }
    }
  }

  private void beginUpload(TomcatProcess server, RawConnection connection) throws IOException {
    connection.send(head(body.length));
    connection.send(body, body.length / 2);
    TomcatProcess.await(
        "a file in progress",
        () -> {
          try {
            return server.openUploads() == 1;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static boolean isRefused(TomcatProcess server) {
    try (RawConnection connection = server.connect()) {
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
