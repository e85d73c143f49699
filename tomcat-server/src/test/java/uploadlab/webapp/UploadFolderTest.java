package uploadlab.webapp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadFolderTest {
  private static final UUID NAME = UUID.fromString("5e884898-da28-4047-9151-70e0e4a1c1a0");

  @TempDir private Path folder;

  @Test
  void a_file_is_hidden_until_it_is_published() throws IOException {
    UploadFolder uploads = new UploadFolder(folder, () -> NAME);
    StoredFile file = uploads.create();
    file.write(new byte[] {1, 2, 3}, 2);
    file.close();
    assertEquals(List.of(".incomplete-" + NAME), names());
    file.publish();
    assertEquals(List.of(NAME.toString()), names());
    assertArrayEquals(new byte[] {1, 2}, Files.readAllBytes(folder.resolve(NAME.toString())));
  }

  @Test
  void a_discarded_file_is_gone_whatever_its_state() throws IOException {
    UploadFolder uploads = new UploadFolder(folder, () -> NAME);
    uploads.create().discard();
    StoredFile closed = uploads.create();
    closed.close();
    closed.discard();
    StoredFile published = uploads.create();
    published.close();
    published.publish();
    published.discard();
    assertEquals(List.of(), names());
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
