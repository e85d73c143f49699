package uploadlab.webapp;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** One file on its way into the upload folder. */
final class StoredFile implements Closeable {
  private final FileChannel channel;
  private final Path hidden;
  private final Path visible;

  StoredFile(FileChannel channel, Path hidden, Path visible) {
    this.channel = channel;
    this.hidden = hidden;
    this.visible = visible;
  }

  void write(byte[] bytes, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** Ends the writing; the file stays hidden. */
  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Makes the finished file visible. */
  void publish() throws IOException {
    Files.move(hidden, visible, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Removes the file, whatever its state. */
  void discard() throws IOException {
    try {
      channel.close();
    } finally {
      Files.deleteIfExists(hidden);
      Files.deleteIfExists(visible);
    }
  }
}
