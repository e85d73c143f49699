package uploadlab.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The folder that bin/start has made for Tomcat to write into, when nobody gave it one. */
final class TemporaryBase {
  private static final String PROPERTY = "uploadlab.temporary.base";

  private TemporaryBase() {}

  /** Removes the folder and everything below it. */
  static void remove() throws IOException {
    String base = System.getProperty(PROPERTY);
    if (base == null) {
      return;
    }
    try (Stream<Path> below = Files.walk(Path.of(base))) {
      for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
