package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Facts that must stand in two files are the same in both. */
class OneFactOnePlaceTest {

  @Test
  void the_defaults_of_the_start_script_are_those_of_the_settings() throws IOException {
    Map<String, String> settings = new TreeMap<>();
    Matcher setting =
        Pattern.compile("env = \"(\\w+)\"\ndefault = \"?([^\"\n]+)\"?\n")
            .matcher(Files.readString(Path.of("sut.toml")));
    while (setting.find()) {
      settings.put(setting.group(1), setting.group(2));
    }
    assertTrue(settings.size() >= 8, settings::toString);
    Map<String, String> defaults = new TreeMap<>();
    Matcher variable =
        Pattern.compile("=\\$\\{(\\w+)-([^}]*)}").matcher(Files.readString(Path.of("bin/start")));
    while (variable.find()) {
      defaults.put(variable.group(1), variable.group(2));
    }
    defaults.keySet().retainAll(settings.keySet());
    assertEquals(settings, defaults);
  }
}
