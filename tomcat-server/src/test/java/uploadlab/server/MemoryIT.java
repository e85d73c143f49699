package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static uploadlab.server.Requests.bytes;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.head;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What uploads cost in memory. */
@Tag("slow")
class MemoryIT {
  private static final int MIB = 1 << 20;

  @Test
  void two_hundred_uploads_of_1_mib_at_once_fit_the_heap() throws Exception {
    byte[] body = form(file("avatar", data(MIB, 1)));
    List<RawConnection> connections = new ArrayList<>();
    try (TomcatProcess server = TomcatProcess.start(Map.of("HEAP_MB", "128"))) {
      for (int i = 0; i < 200; i++) {
        RawConnection connection = server.connect();
        connections.add(connection);
        connection.send(bytes(head(body.length)));
        connection.send(body, body.length / 2);
      }
      TomcatProcess.await("200 files in progress", () -> server.openUploads() == 200);
      for (RawConnection connection : connections) {
        connection.send(Arrays.copyOfRange(body, body.length / 2, body.length));
        assertEquals(200, connection.receive().status());
        connection.close();
      }
      assertEquals(200, server.stored().size());
      assertEquals("", server.errors());
    }
  }
}
