package uploadlab.server;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What the environment asks for. The defaults are set by {@code bin/start}; {@code conf/server.xml}
 * and {@code conf/context.xml} read the same variables, so everything is checked here before Tomcat
 * sees it.
 *
 * @param host address to listen on
 * @param port port to listen on, 0 for any
 * @param stopGraceMs how long requests in flight may take after the signal to stop
 */
record Configuration(String host, int port, int stopGraceMs) {
  /** The largest whole number that every language has: 2 to the power of 53, less one. */
  private static final long LARGEST = (1L << 53) - 1;

  private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

  /** The environment can't be used; the message is one sentence for the user. */
  static final class InvalidException extends Exception {
    private static final long serialVersionUID = 1;

    InvalidException(String message) {
      super(message);
    }
  }

  /**
   * Checks the environment.
   *
   * @param environment names and values
   * @param javaVersion feature number of the Java that runs, such as 17
   */
  static Configuration of(Map<String, String> environment, int javaVersion)
      throws InvalidException {
    Variables variables = new Variables(environment);
    for (String limit :
        List.of("MAX_FILE_BYTES", "MAX_REQUEST_BYTES", "MAX_DRAIN_BYTES", "MIN_BODY_BYTES_PER_S")) {
      variables.number(limit, 0, LARGEST);
    }
    for (String positive :
        List.of("IDLE_TIMEOUT_MS", "KEEP_ALIVE_TIMEOUT_MS", "ACCEPT_COUNT", "MAX_THREADS")) {
      variables.number(positive, 1, Integer.MAX_VALUE);
    }
    variables.number("KEEP_ALIVE_REQUESTS", -1, Integer.MAX_VALUE);
    variables.number("APP_READ_BUF_BYTES", 1024, 16 * 1024 * 1024);
    boolean virtualThreads =
        variables.oneOf("VIRTUAL_THREADS", List.of("true", "false")).equals("true");
    if (virtualThreads && javaVersion < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
      throw new InvalidException(
          "VIRTUAL_THREADS=true needs Java 21 or newer, this is Java "
              + javaVersion
              + "; set JAVA_HOME to a newer one.");
    }
    variables.oneOf("DELIMITER_SEARCH", List.of("horspool", "commons"));
    uploadFolder(variables.text("UPLOAD_DIR"));
    return new Configuration(
        variables.text("HOST"),
        (int) variables.number("PORT", 0, 65535),
        (int) variables.number("STOP_GRACE_MS", 1, Integer.MAX_VALUE));
  }

  private static void uploadFolder(String name) throws InvalidException {
    Path folder = folder(name);
    if (!Files.isDirectory(folder)) {
      throw new InvalidException("UPLOAD_DIR must be a folder that exists, " + name + " is not.");
    }
    // Read for what a killed server left, entered for every file.
    if (!Files.isReadable(folder) || !Files.isWritable(folder) || !Files.isExecutable(folder)) {
      throw new InvalidException(
          "UPLOAD_DIR must be readable, writable and searchable, " + name + " is not.");
    }
  }

  private static Path folder(String name) throws InvalidException {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw new InvalidException(
          "UPLOAD_DIR must have a name that Java can use in this locale, "
              + name
              + " is none; try LC_ALL=C.UTF-8.");
    }
  }

  private record Variables(Map<String, String> environment) {

    String text(String name) throws InvalidException {
      String value = environment.getOrDefault(name, "");
      if (value.isEmpty()) {
        throw new InvalidException(name + " must be set.");
      }
      return value;
    }

    String oneOf(String name, List<String> values) throws InvalidException {
      String value = text(name);
      if (!values.contains(value)) {
        throw new InvalidException(
            name + " must be " + String.join(" or ", values) + ", it is \"" + value + "\".");
      }
      return value;
    }

    long number(String name, long smallest, long largest) throws InvalidException {
      String value = text(name);
      // Long.parseLong would accept a plus sign and digits of other scripts.
      if (value.matches("-?[0-9]{1,19}")) {
        try {
          long number = Long.parseLong(value);
          if (number >= smallest && number <= largest) {
            return number;
          }
        } catch (NumberFormatException e) {
          // Too large for a long: the sentence below says so.
        }
      }
      throw new InvalidException(
          name
              + " must be a whole number from "
              + smallest
              + " to "
              + largest
              + ", it is \""
              + value
              + "\".");
    }
  }
}
