package uploadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static uploadlab.server.Requests.data;
import static uploadlab.server.Requests.file;
import static uploadlab.server.Requests.form;
import static uploadlab.server.Requests.upload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that are full, folders that are gone, descriptors that are used up. */
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

  @Test
  void a_folder_that_can_only_be_read_is_told() throws Exception {
    mount("size=512k");
    try (TomcatProcess server = TomcatProcess.start(folder, Map.of())) {
      assertTrue(run("mount", "-o", "remount,ro", folder.toString()));
      assertEquals("500 storage_failed", server.send(SMALL).summary());
      assertTrue(run("mount", "-o", "remount,rw", folder.toString()));
      assertEquals(List.of(), server.stored());
      assertEquals(200, server.send(SMALL).status());
    }
  }

  @Test
  void a_folder_that_is_gone_is_told_and_used_again_when_it_is_back() throws Exception {
    Path uploads = Files.createDirectory(folder.resolve("uploads"));
    Path away = folder.resolve("away");
    try (TomcatProcess server = TomcatProcess.start(uploads, Map.of())) {
      Files.move(uploads, away);
      assertEquals("500 storage_failed", server.send(SMALL).summary());
      Files.move(away, uploads);
      assertEquals(List.of(), server.stored());
      assertEquals(200, server.send(SMALL).status());
    }
  }

  @Test
  void without_descriptors_nothing_is_lost_and_the_server_recovers() throws Exception {
    try (TomcatProcess server = TomcatProcess.start(folder, Map.of())) {
      assertEquals(200, server.send(SMALL).status());
      limitDescriptors(server, descriptors(server) + 12);
      int accepted = 1 + sendFromManyConnections(server, 40);
      limitDescriptors(server, 4096);
      server.awaitNothingIncomplete();
      assertEquals(accepted, server.stored().size());
      TomcatProcess.await("the server to recover", () -> isServing(server));
    }
  }

  /** Opens many connections at once, uploads on each, and counts the answers with 200. */
  private static int sendFromManyConnections(TomcatProcess server, int count) throws IOException {
    List<RawConnection> connections = new ArrayList<>();
    int accepted = 0;
    for (int i = 0; i < count; i++) {
      RawConnection connection = server.connect();
      connection.limitPatience(2000);
      connections.add(connection);
    }
    for (RawConnection connection : connections) {
      try (connection) {
        connection.send(SMALL);
        Answer answer = connection.receive();
        assertTrue(List.of(200, 500, 503).contains(answer.status()), answer::summary);
        accepted += answer.status() == 200 ? 1 : 0;
      } catch (IOException e) {
        // No connection or a close is allowed as well.
        continue;
      }
    }
    return accepted;
  }

  private static boolean isServing(TomcatProcess server) {
    try (RawConnection connection = server.connect()) {
      connection.limitPatience(2000);
      connection.send(SMALL);
      return connection.receive().status() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private static int descriptors(TomcatProcess server) throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
      return (int) descriptors.count();
    }
  }

  private static void limitDescriptors(TomcatProcess server, int limit) throws Exception {
    assumeTrue(
        run("prlimit", "--pid", String.valueOf(server.pid()), "--nofile=" + limit + ":4096"),
        "needs prlimit");
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
