package uploadlab.paper;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The packaged server of the published study, really started by bin/start. */
@Timeout(300)
class PaperStackIT {
  private static final int MEMORY_THRESHOLD_BYTES = 3 * 1024 * 1024;

  @TempDir private Path folder;
  private Process process;
  private int port;

  @AfterEach
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Test
  void good_uploads_are_answered_with_the_page_of_the_other_stack_and_a_signal_ends_it()
      throws Exception {
    String url = start("127.0.0.1");
    byte[] small = data(23_000, 1);
    byte[] empty = data(0, 2);
    byte[] overThreshold = data(MEMORY_THRESHOLD_BYTES + 1, 3);
    for (HttpResponse<byte[]> answer :
        List.of(upload(url, small), upload(url, empty, overThreshold))) {
      assertEquals(200, answer.statusCode());
      assertEquals(
          "text/html;charset=utf-8",
          answer.headers().firstValue("content-type").orElseThrow().toLowerCase());
      assertFalse(answer.headers().firstValue("set-cookie").isPresent());
      assertArrayEquals(Files.readAllBytes(Path.of("../../node-server/page.html")), answer.body());
    }
    assertStored(small, empty, overThreshold);
    assertEquals(List.of(), list(folder.resolve("a cell,heap_mb=512/temp")), "temporary files");
    HttpResponse<String> health =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(url + "/health")).build(),
                HttpResponse.BodyHandlers.ofString());
    assertEquals("{\"status\":\"ok\"}", health.body());
    process.destroy();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(143, process.exitValue());
  }

  @Test
  void it_listens_on_loopback_only() throws Exception {
    launch("0.0.0.0");
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(2, process.exitValue());
    String sentence = Files.readString(errors());
    assertEquals(1, sentence.lines().count());
    assertTrue(sentence.contains("loopback"), sentence);
  }

  @Test
  void the_versions_are_those_of_the_study_and_name_the_java_that_runs() throws Exception {
    process = new ProcessBuilder("bin/versions").start();
    String versions = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(
        versions.matches(
            "\\{\"tomcat\": \"7\\.0\\.54\\.0\", \"java\": \"[0-9][^\"]+\", "
                + "\"commons-fileupload\": \"1\\.3\\.2\", \"commons-io\": \"2\\.5\"}\n"),
        versions);
  }

  private String start(String host) throws Exception {
    launch(host);
    String url = "http://127.0.0.1:" + port;
    while (process.isAlive()) {
      try (Socket ready = new Socket("127.0.0.1", port)) {
        return url; // Tomcat opens its port before it answers
      } catch (ConnectException e) {
        Thread.sleep(20);
      }
    }
    throw new IOException(Files.readString(errors()));
  }

  private void launch(String host) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bin/start");
    builder.environment().put("HOST", host);
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    builder.environment().put("PORT", "" + port);
    builder.environment().put("HEAP_MB", "128");
    builder.environment().put("RUN_DIR", folder.resolve("a cell,heap_mb=512").toString());
    builder
        .environment()
        .put("UPLOAD_DIR", Files.createDirectory(folder.resolve("uploads")).toString());
    process = builder.redirectError(errors().toFile()).start();
  }

  private Path errors() {
    return folder.resolve("errors");
  }

  private void assertStored(byte[]... expected) throws IOException {
    List<byte[]> stored = new ArrayList<>();
    for (Path file : list(folder.resolve("uploads"))) {
      assertTrue(
          file.getFileName().toString().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
      stored.add(Files.readAllBytes(file));
    }
    Comparator<byte[]> bySize = Comparator.comparingInt(bytes -> bytes.length);
    stored.sort(bySize);
    Arrays.sort(expected, bySize);
    assertEquals(expected.length, stored.size());
    for (int i = 0; i < expected.length; i++) {
      assertArrayEquals(expected[i], stored.get(i));
    }
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static HttpResponse<byte[]> upload(String url, byte[]... files) throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\ntext\r\n".getBytes());
    for (byte[] file : files) {
      body.writeBytes(
          ("--b\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"x.jpg\"\r\n"
                  + "Content-Type: image/jpeg\r\n\r\n")
              .getBytes());
      body.writeBytes(file);
      body.writeBytes("\r\n".getBytes());
    }
    body.writeBytes("--b--\r\n".getBytes());
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/getimages"))
            .header("Content-Type", "multipart/form-data; boundary=b")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private static byte[] data(int length, long seed) {
    byte[] data = new byte[length];
    new Random(seed).nextBytes(data);
    return data;
  }
}
