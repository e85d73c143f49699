package uploadlab.server;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The packaged server, really started by bin/start. */
final class TomcatProcess implements Closeable {
  private static final long PATIENCE_S = 30;

  /** Of a server that serves a few requests: what is compiled well would never pay. */
  private static final String SOON = "-XX:TieredStopAtLevel=1";

  /** With it the virtual machine begins, where it is given options. */
  private static final String PICKED_UP = "Picked up JAVA_TOOL_OPTIONS: " + SOON + "\n";

  private final Process process;
  private final Path uploadFolder;
  private final Path errors;
  private final String readyLine;

  private TomcatProcess(Process process, Path uploadFolder, Path errors, String readyLine) {
    this.process = process;
    this.uploadFolder = uploadFolder;
    this.errors = errors;
    this.readyLine = readyLine;
  }

  /** Starts a server in new folders and waits until it is ready. */
  static TomcatProcess start(Map<String, String> settings) throws IOException {
    return start(Files.createTempDirectory("uploads"), settings);
  }

  /** Starts a server that stores in the given folder and waits until it is ready. */
  static TomcatProcess start(Path uploadFolder, Map<String, String> settings) throws IOException {
    Map<String, String> environment = new HashMap<>(settings);
    environment.put("UPLOAD_DIR", uploadFolder.toString());
    environment.putIfAbsent("PORT", "0");
    environment.putIfAbsent("HEAP_MB", "128");
    environment.put("JAVA_TOOL_OPTIONS", SOON);
    Path errors = Files.createTempFile("server", ".err");
    Process process = launch(environment, errors);
    BufferedReader output = process.inputReader();
    String readyLine = output.readLine();
    if (readyLine == null) {
      throw new IOException("the server did not start: " + Files.readString(errors));
    }
    return new TomcatProcess(process, uploadFolder, errors, readyLine);
  }

  /** What a server that does not start says. */
  record Failure(int exitCode, String output, String errors) {}

  /** Starts a server that is expected to give up. */
  static Failure fail(Map<String, String> environment) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("server", ".err");
    Process process = launch(environment, errors);
    if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the server started, it should have given up");
    }
    String output = new String(process.getInputStream().readAllBytes());
    return new Failure(process.exitValue(), output, Files.readString(errors));
  }

  private static Process launch(Map<String, String> environment, Path errors) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bin/start");
    environment.forEach(
        (name, value) -> {
          builder.environment().remove(name);
          if (value != null) {
            builder.environment().put(name, value);
          }
        });
    return builder.redirectError(errors.toFile()).start();
  }

  String readyLine() {
    return readyLine;
  }

  long pid() {
    return process.pid();
  }

  int port() {
    return Integer.parseInt(readyLine.substring(readyLine.lastIndexOf(':') + 1));
  }

  /** What it said on standard error, without the virtual machine's word about our options. */
  String errors() throws IOException {
    return Files.readString(errors).replace(PICKED_UP, "");
  }

  RawConnection connect() throws IOException {
    return new RawConnection(port());
  }

  /** Sends one request on a connection of its own and reads the answer. */
  Answer send(byte[] request) throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(request);
      return connection.receive();
    }
  }

  /** Everything in the upload folder, hidden files too. */
  List<Path> stored() throws IOException {
    try (Stream<Path> files = Files.list(uploadFolder)) {
      return files.sorted().toList();
    }
  }

  void removeStored() throws IOException {
    for (Path file : stored()) {
      Files.deleteIfExists(file);
    }
  }

  /** Descriptors the server has open on files of the upload folder. */
  long openUploads() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
      return descriptors.filter(this::isUpload).count();
    }
  }

  private boolean isUpload(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(uploadFolder);
    } catch (IOException e) {
      // Closed since it was listed.
      return false;
    }
  }

  /** Asks it to end and waits; the exit code as a shell would see it. */
  int terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
      throw new AssertionError("the server did not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    removeStored();
  }

  /** Waits until something is so, for a limited time. */
  static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within " + PATIENCE_S + " s: " + what);
      }
      Thread.sleep(5);
    }
  }

  /** Waits until nothing incomplete is left, neither as a file nor as a descriptor. */
  void awaitNothingIncomplete() throws Exception {
    await(
        "no incomplete upload",
        () ->
            openUploads() == 0
                && stored().stream().noneMatch(f -> f.getFileName().toString().startsWith(".")));
  }
}
