package uploadlab.server;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.catalina.util.ServerInfo;

/** Prints the versions of everything that runs as one JSON object. */
public final class Versions {
  private static final Pattern LIBRARY =
      Pattern.compile("WEB-INF/lib/(commons-fileupload2-core|commons-io)-(\\d[^/]*)\\.jar");

  private Versions() {}

  /**
   * Prints the versions.
   *
   * @param arguments the web application's file
   */
  public static void main(String[] arguments) throws IOException {
    Map<String, String> versions = new TreeMap<>();
    versions.put("tomcat", ServerInfo.getServerNumber());
    versions.put("java", System.getProperty("java.runtime.version"));
    versions.put("java-vm", System.getProperty("java.vm.name"));
    try (JarFile application = new JarFile(arguments[0])) {
      application.stream()
          .forEach(
              entry -> {
                Matcher library = LIBRARY.matcher(entry.getName());
                if (library.matches()) {
                  versions.put(library.group(1).replace("2-core", "2"), library.group(2));
                }
              });
    }
    System.out.println(
        versions.entrySet().stream()
            .map(entry -> "\"" + entry.getKey() + "\": \"" + entry.getValue() + "\"")
            .collect(Collectors.joining(", ", "{", "}")));
  }
}
