package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.upload;

import java.io.IOException;
import java.nio.file.Files;
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

  /** Closes uploads as a file system does that counts a quota only then. */
  private static final String CLOSE_FAILS =
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>
      int close(int fd) {
        char link[64], path[512] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, path, sizeof path - 1) < 0) path[0] = 0;
        int closed = ((int (*)(int))dlsym(RTLD_NEXT, "close"))(fd);
        if (!strstr(path, ".incomplete-")) return closed;
        errno = EDQUOT;
        return -1;
      }
      """;

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

  @Test
  void a_full_disk_is_told_in_every_language_of_the_machine() throws Exception {
    mount("size=512k");
    Map<String, String> portuguese = Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "pt_BR");
    try (TomcatProcess server = TomcatProcess.start(folder, portuguese)) {
      assertEquals("507 insufficient_storage", server.send(LARGE).summary());
    }
  }

  @Test
  void a_quota_that_is_found_full_when_a_file_is_closed_is_told() throws Exception {
    Path source = Files.writeString(folder.resolve("close.c"), CLOSE_FAILS);
    Path library = folder.resolve("close.so");
    assumeTrue(
        run("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl"),
        "needs a C compiler");
    Path uploads = Files.createDirectory(folder.resolve("uploads"));
    Map<String, String> failing = Map.of("LD_PRELOAD", library.toString());
    try (TomcatProcess server = TomcatProcess.start(uploads, failing)) {
      assertEquals("507 insufficient_storage", server.send(SMALL).summary());
      assertEquals("507 insufficient_storage", server.send(TWO).summary());
      assertEquals(List.of(), server.stored());
      assertEquals(0, server.openUploads());
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
