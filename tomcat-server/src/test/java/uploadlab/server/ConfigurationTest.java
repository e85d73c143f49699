package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
  @TempDir private Path folder;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setEverything() {
    environment.putAll(
        Map.of(
            "HOST", "127.0.0.1",
            "PORT", "0",
            "UPLOAD_DIR", folder.toString(),
            "MAX_FILE_BYTES", "0",
            "MAX_REQUEST_BYTES", "9007199254740991",
            "MAX_DRAIN_BYTES", "1",
            "IDLE_TIMEOUT_MS", "1",
            "KEEP_ALIVE_TIMEOUT_MS", "2147483647",
            "STOP_GRACE_MS", "1",
            "MIN_BODY_BYTES_PER_S", "0"));
    environment.putAll(
        Map.of(
            "ACCEPT_COUNT", "1",
            "MAX_THREADS", "1",
            "VIRTUAL_THREADS", "false",
            "KEEP_ALIVE_REQUESTS", "-1",
            "APP_READ_BUF_BYTES", "1024",
            "DELIMITER_SEARCH", "commons"));
  }

  @Test
  void the_smallest_and_largest_values_are_accepted() throws Exception {
    assertEquals(new Configuration("127.0.0.1", 0, 1), Configuration.of(environment, 17));
  }

  @Test
  void virtual_threads_are_accepted_on_java_21() throws Exception {
    environment.put("VIRTUAL_THREADS", "true");
    Configuration.of(environment, 21);
    assertRefused("Java 21");
  }

  @ParameterizedTest
  @CsvSource({
    "PORT, abc",
    "PORT, 65536",
    "PORT, ''",
    "PORT, +1",
    "PORT, \u0661",
    "MAX_FILE_BYTES, -1",
    "MAX_FILE_BYTES, 1e6",
    "MAX_REQUEST_BYTES, 9007199254740992",
    "MAX_REQUEST_BYTES, 99999999999999999999",
    "MAX_DRAIN_BYTES, '1 '",
    "MIN_BODY_BYTES_PER_S, -1",
    "IDLE_TIMEOUT_MS, 0",
    "KEEP_ALIVE_TIMEOUT_MS, 2147483648",
    "STOP_GRACE_MS, x",
    "MAX_THREADS, 0",
    "ACCEPT_COUNT, many",
    "KEEP_ALIVE_REQUESTS, -2",
    "APP_READ_BUF_BYTES, 1",
    "VIRTUAL_THREADS, yes",
    "DELIMITER_SEARCH, fast",
    "HOST, ''",
    "UPLOAD_DIR, ''",
    "UPLOAD_DIR, /dev/null",
    "UPLOAD_DIR, /no/such/folder",
    "UPLOAD_DIR, 'a\u0000b'"
  })
  void a_bad_value_is_named_in_one_sentence(String name, String value) {
    environment.put(name, value);
    assertRefused(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"r-x", "-wx", "rw-", "-w-"})
  void a_folder_that_can_not_be_used_is_named(String permissions) throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions + "------"));
    assumeFalse(
        Files.isReadable(folder) && Files.isWritable(folder) && Files.isExecutable(folder),
        "the superuser may do everything");
    assertRefused("UPLOAD_DIR");
  }

  @Test
  void a_variable_that_is_not_set_is_named() {
    environment.remove("MAX_THREADS");
    assertRefused("MAX_THREADS");
  }

  private void assertRefused(String mentioned) {
    Exception refused =
        assertThrows(Configuration.InvalidException.class, () -> Configuration.of(environment, 17));
    assertTrue(refused.getMessage().contains(mentioned), refused.getMessage());
    assertEquals(1, refused.getMessage().lines().count());
  }
}
