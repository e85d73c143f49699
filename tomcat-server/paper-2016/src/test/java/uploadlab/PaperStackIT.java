package uploadlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static uploadlab.TomcatProcess.bytes;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The packaged server of the published study, really started by bin/start. */
@Timeout(300)
class PaperStackIT {
  private static final int MEMORY_THRESHOLD_BYTES = 3 * 1024 * 1024;

  @TempDir private Path folder;

  @Test
  void good_uploads_are_answered_with_the_page_of_the_other_stack_and_a_signal_ends_it()
      throws Exception {
    String page = Files.readString(Path.of("../../node-server/page.html"));
    byte[] small = bytes(23_000);
    byte[] empty = bytes(0);
    byte[] overThreshold = bytes(MEMORY_THRESHOLD_BYTES + 1);
    try (TomcatProcess server = TomcatProcess.start(folder, Map.of())) {
      for (HttpResponse<String> answer :
          List.of(server.upload(small), server.upload(empty, overThreshold))) {
        assertEquals(200, answer.statusCode());
        assertEquals(
            "text/html;charset=utf-8",
            answer.headers().firstValue("content-type").orElseThrow().toLowerCase());
        assertFalse(answer.headers().firstValue("set-cookie").isPresent());
        assertEquals(page, answer.body());
      }
      server.assertStored(empty, small, overThreshold);
      String[] temporary = folder.resolve("a cell,heap_mb=512/temp").toFile().list();
      assertEquals(List.of(), List.of(temporary), "temporary files");
      assertEquals("{\"status\":\"ok\"}", server.get("/health").body());
      server.process.destroy();
      assertEquals(143, server.process.waitFor());
    }
  }

  @Test
  void it_listens_on_loopback_only() throws Exception {
    String sentence = TomcatProcess.refused(folder, Map.of("HOST", "0.0.0.0"));
    assertEquals(1, sentence.lines().count());
    assertTrue(sentence.contains("loopback"), sentence);
  }

  @Test
  void the_versions_are_those_of_the_study_and_name_the_java_that_runs() throws Exception {
    Process process = new ProcessBuilder("bin/versions").start();
    String versions = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(
        versions.matches(
            "\\{\"tomcat\": \"7\\.0\\.54\\.0\", \"java\": \"[0-9][^\"]+\", "
                + "\"commons-fileupload\": \"1\\.3\\.2\", \"commons-io\": \"2\\.5\"}\n"),
        versions);
  }
}
