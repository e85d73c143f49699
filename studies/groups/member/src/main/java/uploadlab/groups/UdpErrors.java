package uploadlab.groups;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Datagrams that came and that no program got, mostly because its buffer was full: of all of a member's network. */
final class UdpErrors {
    private static final Path COUNTERS = Path.of("/proc/self/net/snmp");
    private static final String PREFIX = "Udp: ";

    private UdpErrors() {}

    /** Return how many there were since the network was made; two lines of the file, names and figures, tell. */
    static long soFar() throws IOException {
        List<String[]> lines = Files.readAllLines(COUNTERS).stream()
                .filter(line -> line.startsWith(PREFIX))
                .map(line -> line.substring(PREFIX.length()).split(" "))
                .toList();
        return Long.parseLong(lines.get(1)[Arrays.asList(lines.get(0)).indexOf("InErrors")]);
    }
}
