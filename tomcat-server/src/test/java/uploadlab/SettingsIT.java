package uploadlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The named settings reach Tomcat; what can't be used is refused. */
@Timeout(300)
class SettingsIT {
  @TempDir private Path folder;

  @Test
  void settings_reach_the_connector_the_kernel_and_the_virtual_machine() throws Exception {
    Path log = folder.resolve("a gc,log");
    Map<String, String> settings =
        Map.of(
            "ACCEPT_COUNT", "77",
            "KEEP_ALIVE_REQUESTS", "1",
            "MAX_THREADS", "9",
            "RUNTIME_METRICS_FILE", log.toString());
    try (TomcatProcess server = TomcatProcess.start(folder, settings)) {
      assertEquals("close", server.get("/health").headers().firstValue("connection").orElseThrow());
      Process ss = new ProcessBuilder("ss", "-Hltn", "sport = :" + server.port).start();
      String listening = new String(ss.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(listening.matches("LISTEN\\s+0\\s+77\\s(?s).*"), listening);
      assertTrue(Files.readString(log).contains("gc,init"), "the log of the garbage collector");
    }
  }

  @Test
  void what_cannot_be_used_is_named_in_one_sentence() throws Exception {
    Map<String, String> wrong =
        Map.of("HEAP_MB", "much", "FILEUPLOAD_API", "other", "UPLOAD_DIR", "/nowhere");
    for (Map.Entry<String, String> one : wrong.entrySet()) {
      String said = TomcatProcess.refused(folder, Map.of(one.getKey(), one.getValue()));
      String begin = "tomcat-server: " + one.getKey() + " is \"" + one.getValue() + "\"; expected ";
      assertTrue(said.startsWith(begin) && said.lines().count() == 1, said);
    }
  }

  @Test
  void the_versions_printed_are_those_of_the_pom() throws Exception {
    Process versions = new ProcessBuilder("bin/versions").start();
    String said = new String(versions.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String pom = Files.readString(Path.of("pom.xml"));
    for (String name : new String[] {"tomcat", "fileupload", "commons-io"}) {
      String pinned = pom.replaceAll("(?s).*<" + name + ".version>(.*)</" + name + ".*", "$1");
      assertTrue(said.contains("\"" + pinned), said + pinned);
    }
  }
}
