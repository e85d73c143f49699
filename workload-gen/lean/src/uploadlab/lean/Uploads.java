package uploadlab.lean;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The list of sizes, each with the request that uploads a file of that size. */
final class Uploads {
    private final List<Upload> inOrder;

    /**
     * Prepares all requests of the list.
     *
     * @throws UsageException where the list or a payload file cannot be read
     */
    Uploads(Settings settings) {
        var list = settings.path("sizes_csv");
        var folder = settings.path("payload_dir");
        Map<String, Upload> ofSize = new HashMap<>();
        inOrder = linesOf(list).stream()
                .map(size -> ofSize.computeIfAbsent(size, name -> prepare(folder.resolve(name + ".split"), settings)))
                .toList();
        if (inOrder.isEmpty()) {
            throw new UsageException(list + " has no size; expected one a line.");
        }
    }

    /** Returns the request at a place of the list, which begins again at its end. */
    Upload at(long place) {
        return inOrder.get((int) (place % inOrder.size()));
    }

    static List<String> linesOf(Path file) {
        try {
            return Files.readAllLines(file).stream().map(String::strip).filter(line -> !line.isEmpty()).toList();
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read: " + e);
        }
    }

    private static Upload prepare(Path file, Settings settings) {
        try {
            return new Upload(file, settings);
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read: " + e);
        }
    }
}
