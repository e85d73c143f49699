package uploadlab.webapp;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The folder uploads are stored in. A file is written under a hidden name and appears under a fresh
 * UUID only when its whole request was received, so a killed server leaves nothing that looks like
 * an upload.
 */
final class UploadFolder {
  private static final String INCOMPLETE_PREFIX = ".incomplete-";

  private final Path folder;
  private final Supplier<UUID> names;

  UploadFolder(Path folder, Supplier<UUID> names) {
    this.folder = folder;
    this.names = names;
  }

  /** Removes the files that an earlier process left incomplete. A folder is not from a server. */
  void removeIncomplete() throws IOException {
    try (DirectoryStream<Path> leftovers =
        Files.newDirectoryStream(folder, INCOMPLETE_PREFIX + "*")) {
      for (Path leftover : leftovers) {
        if (Files.isRegularFile(leftover, LinkOption.NOFOLLOW_LINKS)) {
          Files.deleteIfExists(leftover);
        }
      }
    }
  }

  /** Opens a new file under its hidden name. */
  StoredFile create() throws IOException {
    String name = names.get().toString();
    Path hidden = folder.resolve(INCOMPLETE_PREFIX + name);
    FileChannel channel =
        FileChannel.open(hidden, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    return new StoredFile(channel, hidden, folder.resolve(name));
  }
}
