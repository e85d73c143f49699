package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.upload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are full. */
class StorageIT {
  private static final byte[] SMALL = upload(form(file("avatar", data(20_000, 1))));
  private static final byte[] LARGE = upload(form(file("avatar", data(900_000, 1))));
  private static final byte[] TWO =
      upload(form(file("avatar", data(100_000, 1)), file("avatar", data(900_000, 2))));

  @TempDir private Path folder;
  private boolean mounted;

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      run("umount", "--lazy", folder.toString());
    }
  }

  @Test
  void a_full_disk_is_told_and_the_server_goes_on_when_there_is_room() throws Exception {
    mount("size=512k");
    try (TomcatProcess server = TomcatProcess.start(folder, Map.of())) {
      assertEquals("507 insufficient_storage", server.send(LARGE).summary());
      assertEquals("507 insufficient_storage", server.send(TWO).summary());
      assertEquals(List.of(), server.stored());
      assertEquals(0, server.openUploads());
      assertEquals(200, server.send(SMALL).status());
      assertEquals("", server.errors());
    }
  }

  @Test
  void a_full_table_of_files_is_a_full_disk() throws Exception {
    mount("size=512k,nr_inodes=2");
    try (TomcatProcess server = TomcatProcess.start(folder, Map.of())) {
      assertEquals(200, server.send(SMALL).status());
      assertEquals("507 insufficient_storage", server.send(SMALL).summary());
      server.removeStored();
      assertEquals(200, server.send(SMALL).status());
    }
  }

  private void mount(String options) throws Exception {
    mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
    assumeTrue(mounted, "needs the right to mount");
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
