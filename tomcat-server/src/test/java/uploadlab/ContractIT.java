package uploadlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static uploadlab.TomcatProcess.bytes;
import static uploadlab.TomcatProcess.form;
import static uploadlab.TomcatProcess.until;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rows of docs/guides/your-server.md, of one server from start to end, by {@code parse}. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.MethodName.class)
class ContractIT {
  private static final String MULTIPART = "multipart/form-data; boundary=b";
  private static final byte[] SMALL = bytes(4);
  private static final byte[] LARGE = bytes(400_000);
  private static final byte[] TOO_LARGE = bytes(400_001);

  private TomcatProcess server;

  /** Which of the two interfaces of commons-fileupload is tested. */
  String api() {
    return "parse";
  }

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server =
        TomcatProcess.start(folder, Map.of("FILEUPLOAD_API", api(), "MAX_FILE_BYTES", "400000"));
  }

  @AfterEach
  void empty() throws IOException {
    for (Path file : server.files()) {
      Files.delete(file);
    }
  }

  @AfterAll
  void kill() throws InterruptedException {
    server.close();
  }

  @Test
  void rows_1_to_4_files_are_stored_exactly_under_fresh_names_and_text_is_ignored()
      throws Exception {
    String page = Files.readString(Path.of("../node-server/page.html"));
    for (HttpResponse<String> answer : List.of(server.upload(SMALL), server.upload(SMALL, LARGE))) {
      assertEquals(200, answer.statusCode());
      assertEquals(
          "text/html;charset=utf-8", answer.headers().firstValue("content-type").orElseThrow());
      assertEquals(page, answer.body());
    }
    server.assertStored(SMALL, SMALL, LARGE);
    assertEquals("{\"status\":\"ok\"}", server.get("/health").body());
  }

  @Test
  void rows_5_and_6_what_is_no_good_upload_is_refused_and_nothing_of_it_is_left() throws Exception {
    byte[] whole = form("avatar", LARGE);
    assertEquals(415, server.post("text/plain", whole).statusCode());
    Map<String, byte[]> broken =
        Map.of(
            "multipart/form-data",
            whole,
            "multipart/form-data; boundary=c",
            whole,
            MULTIPART,
            Arrays.copyOf(whole, 100_000),
            MULTIPART + ";x=1",
            Arrays.copyOf(whole, whole.length - 8),
            MULTIPART + ";x=2",
            new byte[0],
            MULTIPART + ";x=3",
            form("avatar"),
            MULTIPART + ";x=4",
            form("other", LARGE),
            MULTIPART + ";x=5",
            form("avatar", LARGE, LARGE, LARGE));
    for (Map.Entry<String, byte[]> one : broken.entrySet()) {
      assertEquals(400, server.post(one.getKey(), one.getValue()).statusCode(), one.getKey());
    }
    assertEquals(413, server.upload(SMALL, TOO_LARGE).statusCode());
    assertKeepsServing();
  }

  @Test
  void rows_7_and_8_a_disk_that_cannot_be_written_is_a_500_and_nothing_is_left_of_what_is_aborted()
      throws Exception {
    for (int bytes : new int[] {10, 150, 1_000, 200_000, 400_000}) {
      try (Socket client = server.begin(LARGE, bytes)) {
        until(() -> bytes < 200_000 || !server.files().isEmpty());
        client.setSoLinger(true, 0); // a reset
      }
      until(() -> server.files().isEmpty());
    }
    assertKeepsServing();
    Files.delete(server.files().get(0));
    Files.delete(server.uploads);
    Files.createFile(server.uploads); // a folder that is gone would be made anew
    assertEquals(500, server.upload(LARGE).statusCode());
    assertEquals(200, server.get("/health").statusCode());
    Files.delete(server.uploads);
    Files.createDirectory(server.uploads);
  }

  @Test
  void rows_9_a_signal_ends_it_and_nothing_is_left_of_an_upload_under_way() throws Exception {
    try (Socket client = server.begin(LARGE, 200_000)) {
      until(() -> !server.files().isEmpty());
      server.process.destroy();
      assertEquals(143, server.process.waitFor());
    }
    assertEquals(List.of(), server.files());
  }

  private void assertKeepsServing() throws Exception {
    assertEquals(200, server.upload(SMALL).statusCode());
    // What was aborted after its first bytes may begin to be stored as late as now.
    until(() -> server.files().size() == 1);
    server.assertStored(SMALL);
  }
}
