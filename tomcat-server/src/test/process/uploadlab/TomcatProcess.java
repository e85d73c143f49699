package uploadlab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** The packaged server, really started by its start script, in a folder with a difficult name. */
final class TomcatProcess implements AutoCloseable {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final long PATIENCE_NS = 120_000_000_000L;

  final Path uploads;
  final Path log;
  final int port;
  final Process process;

  private TomcatProcess(Path folder, Map<String, String> environment) throws IOException {
    uploads = Files.createDirectories(folder.resolve("uploads"));
    log = folder.resolve("server.log");
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    ProcessBuilder builder = new ProcessBuilder("bin/start").redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "PORT",
                "" + port,
                "UPLOAD_DIR",
                uploads.toString(),
                "RUN_DIR",
                folder.resolve("a cell,heap_mb=512").toString(),
                "HEAP_MB",
                "128"));
    builder.environment().putAll(environment);
    process = builder.redirectOutput(log.toFile()).start();
  }

  /** Starts a server and waits until it is ready. */
  static TomcatProcess start(Path folder, Map<String, String> environment) throws Exception {
    TomcatProcess server = new TomcatProcess(folder, environment);
    until(() -> server.isHealthy() || !server.process.isAlive());
    if (!server.process.isAlive()) {
      throw new IOException(Files.readString(server.log));
    }
    return server;
  }

  /** Starts a server that shall refuse to, and returns what it says. */
  static String refused(Path folder, Map<String, String> environment) throws Exception {
    try (TomcatProcess server = new TomcatProcess(folder, environment)) {
      if (server.process.waitFor() != 2) {
        throw new IOException("exit code " + server.process.exitValue());
      }
      return Files.readString(server.log);
    }
  }

  static void until(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new IOException("It did not become true.");
      }
      Thread.sleep(20);
    }
  }

  private boolean isHealthy() {
    try {
      return get("/health").statusCode() == 200;
    } catch (IOException | InterruptedException e) {
      return false; // not yet
    }
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri(path)).build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String type, byte[] body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri("/getimages"))
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> upload(byte[]... files) throws IOException, InterruptedException {
    return post("multipart/form-data; boundary=b", form("avatar", files));
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  /** Sends the first bytes of an upload, and leaves the connection open. */
  Socket begin(byte[] file, int bytes) throws IOException {
    byte[] form = form("avatar", file);
    String head =
        "POST /getimages HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
            + ("Content-Length: " + form.length + "\r\n\r\n");
    Socket socket = new Socket("127.0.0.1", port);
    socket.getOutputStream().write(head.getBytes(UTF_8));
    socket.getOutputStream().write(form, 0, bytes);
    return socket;
  }

  /** A form of a text field before and after some files. */
  static byte[] form(String field, byte[]... files) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    String part = "--b\r\nContent-Disposition: form-data; name=\"%s\"%s\r\n\r\n";
    body.writeBytes((part.formatted("note", "") + "text\r\n").getBytes(UTF_8));
    for (byte[] file : files) {
      body.writeBytes(part.formatted(field, "; filename=\"../x.jpg\"").getBytes(UTF_8));
      body.writeBytes(file);
      body.writeBytes("\r\n".getBytes(UTF_8));
    }
    body.writeBytes((part.formatted("more", "") + "t".repeat(20_000) + "\r\n").getBytes(UTF_8));
    body.writeBytes("--b--\r\n".getBytes(UTF_8));
    return body.toByteArray();
  }

  static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(uploads)) {
      return files.sorted(Comparator.comparing((Path file) -> file.toFile().length())).toList();
    }
  }

  /** Checks that these files and no others are stored, by size, each under a fresh name. */
  void assertStored(byte[]... expected) throws IOException {
    List<Path> stored = files();
    assertEquals(expected.length, stored.size());
    for (int i = 0; i < expected.length; i++) {
      assertArrayEquals(expected[i], Files.readAllBytes(stored.get(i)));
      String name = stored.get(i).getFileName().toString();
      assertTrue(name.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), name);
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
