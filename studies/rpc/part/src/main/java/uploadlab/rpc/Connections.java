package uploadlab.rpc;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Counts this process's own TCP connections by Linux's tables: no library is asked about itself. */
final class Connections {
    private static final String ESTABLISHED = "01";

    private Connections() {}

    /** Return the local ports of this process's connections to a port. */
    static Set<Integer> to(int port) throws IOException {
        Set<String> own = sockets();
        Set<Integer> ports = new TreeSet<>();
        for (String table : new String[] {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
            if (!Files.exists(Path.of(table))) continue;
            for (String line : Files.readAllLines(Path.of(table))) {
                // sl local_address rem_address st queues timer retransmits uid timeout inode, as proc(5) has it
                String[] columns = line.trim().split("\\s+");
                if (columns.length < 10 || !columns[3].equals(ESTABLISHED) || !own.contains(columns[9])) continue;
                if (portOf(columns[2]) == port) ports.add(portOf(columns[1]));
            }
        }
        return ports;
    }

    private static int portOf(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }

    private static Set<String> sockets() throws IOException {
        Set<String> inodes = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:[")) inodes.add(target.substring(8, target.length() - 1));
                } catch (NoSuchFileException closedMeanwhile) {
                    // The folder's own descriptor.
                }
            }
        }
        return inodes;
    }
}
