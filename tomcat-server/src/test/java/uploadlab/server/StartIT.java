package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static uploadlab.server.Requests.bytes;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.upload;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server says when it starts, and when it can't. */
class StartIT {
  @TempDir private Path folder;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void useTheFolder() {
    environment.put("UPLOAD_DIR", folder.toString());
    environment.put("PORT", "0");
  }

  @Test
  void the_ready_line_names_the_real_port_and_is_the_only_output() throws Exception {
    try (TomcatProcess server = TomcatProcess.start(Map.of("HOST", "127.0.0.1"))) {
      assertTrue(server.readyLine().matches("listening on http://127\\.0\\.0\\.1:[1-9][0-9]+"));
      assertEquals(200, server.send(upload(form(file("avatar", bytes("x"))))).status());
      assertEquals("400 malformed_multipart", server.send(upload(bytes("no form"))).summary());
      assertEquals(0, server.terminate());
      assertEquals("", server.errors());
    }
  }

  @Test
  void an_idle_connection_is_kept_for_a_minute_however_short_the_patience_within_a_request()
      throws Exception {
    String request = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n";
    try (TomcatProcess server = TomcatProcess.start(Map.of("IDLE_TIMEOUT_MS", "700"))) {
      Answer answer = server.send(bytes(request));
      assertEquals("timeout=60", answer.headers().get("keep-alive"));
    }
  }

  @Test
  void the_garbage_collector_is_logged_only_when_asked_for() throws Exception {
    Path run = Files.createDirectory(folder.resolve("run"));
    Path metrics = run.resolve("gc.log");
    try (TomcatProcess server =
        TomcatProcess.start(
            Map.of("RUN_DIR", run.toString(), "RUNTIME_METRICS_FILE", metrics.toString()))) {
      assertTrue(Files.readString(metrics).contains("gc"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PORT, abc",
    "HEAP_MB, 0",
    "HEAP_MB, 1g",
    "HEAP_MB, 1",
    "HEAP_MB, 9999999",
    "UPLOAD_DIR, /no/such/folder"
  })
  void a_bad_value_is_named_in_one_sentence_and_no_folder_is_left(String name, String value)
      throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    environment.put("TMPDIR", temporary.toString());
    environment.put(name, value);
    assertGivesUp(name);
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void a_heap_that_the_kernel_refuses_is_named_in_one_sentence_and_no_folder_is_left()
      throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    Path java = Files.createDirectories(folder.resolve("limited/bin")).resolve("java");
    String real = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Files.writeString(java, "#!/bin/sh\nulimit -v 600000\nexec '" + real + "' \"$@\"\n");
    assertTrue(java.toFile().setExecutable(true));
    String version = "JAVA_VERSION=\"" + Runtime.version().feature() + "\"\n";
    Files.writeString(folder.resolve("limited/release"), version);
    environment.put("JAVA_HOME", folder.resolve("limited").toString());
    environment.put("TMPDIR", temporary.toString());
    assertGivesUp("HEAP_MB");
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void the_smallest_heap_is_enough_to_serve() throws Exception {
    try (TomcatProcess server = TomcatProcess.start(Map.of("HEAP_MB", "16"))) {
      assertEquals(200, server.send(upload(form(file("avatar", bytes("x"))))).status());
    }
  }

  @Test
  void a_folder_with_any_letters_is_used_in_the_locale_c() throws Exception {
    Path uploads = Files.createDirectory(folder.resolve("\u00fc"));
    try (TomcatProcess server = TomcatProcess.start(uploads, Map.of("LC_ALL", "C"))) {
      assertEquals(200, server.send(upload(form(file("avatar", bytes("x"))))).status());
      assertEquals(1, server.stored().size());
      assertEquals("", server.errors());
    }
  }

  @Test
  void a_port_in_use_is_named_in_one_sentence() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(other.getLocalPort());
      environment.put("PORT", port);
      assertGivesUp("127.0.0.1:" + port);
    }
  }

  @Test
  void virtual_threads_need_a_newer_java() throws Exception {
    Assumptions.assumeTrue(Runtime.version().feature() < 21);
    environment.put("VIRTUAL_THREADS", "true");
    assertGivesUp("Java 21");
  }

  @Test
  void a_missing_java_is_named_in_one_sentence() throws Exception {
    environment.put("JAVA_HOME", "/no/such/java");
    assertGivesUp("Java 17");
  }

  @Test
  void an_old_java_is_named_in_one_sentence() throws Exception {
    Path old = Files.createDirectories(folder.resolve("old/bin")).resolve("java");
    Files.writeString(old, "#!/bin/sh\necho 'openjdk version \"11.0.1\" 2018-10-16' >&2\n");
    assertTrue(old.toFile().setExecutable(true));
    environment.put("JAVA_HOME", folder.resolve("old").toString());
    assertGivesUp("Java 11");
  }

  private void assertGivesUp(String mentioned) throws Exception {
    TomcatProcess.Failure failure = TomcatProcess.fail(environment);
    assertEquals(2, failure.exitCode());
    assertEquals("", failure.output());
    assertEquals(1, failure.errors().lines().count(), failure.errors());
    assertTrue(failure.errors().contains(mentioned), failure.errors());
  }
}
