package uploadlab.webapp;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import uploadlab.answer.ErrorCode;

/**
 * The policy: which parts of a form are stored, and when a form is refused. Either all its files
 * are stored or none.
 */
final class Upload {
  private static final System.Logger LOG = System.getLogger(Upload.class.getName());
  private static final String FIELD = "avatar";

  private final Multipart form;
  private final UploadFolder folder;
  private final Limits limits;
  private final byte[] buffer;
  private final List<StoredFile> files = new ArrayList<>(Limits.FILES);

  Upload(Multipart form, UploadFolder folder, Limits limits, byte[] buffer) {
    this.form = form;
    this.folder = folder;
    this.limits = limits;
    this.buffer = buffer;
  }

  /** Reads the form to its last boundary; the files are still hidden. */
  void receive() throws IOException {
    for (Multipart.Part part = form.next(); part != null; part = form.next()) {
      PartHeaders headers = part.headers();
      if (!headers.isFile()) {
        drop(part.content(), headers.isNamelessData() ? Long.MAX_VALUE : Limits.FIELD_BYTES);
      } else if (!headers.fieldName().equals(FIELD)) {
        throw new RefusedException(ErrorCode.UNEXPECTED_FIELD);
      } else if (files.size() == Limits.FILES) {
        throw new RefusedException(ErrorCode.TOO_MANY_FILES);
      } else {
        store(part.content());
      }
    }
    if (files.isEmpty()) {
      throw new RefusedException(ErrorCode.NO_FILE);
    }
  }

  /** Makes the files visible. */
  void publish() throws IOException {
    try {
      for (StoredFile file : files) {
        file.publish();
      }
    } catch (IOException e) {
      throw RefusedException.storing(e);
    }
  }

  /** Removes every file of the form. */
  void discard() {
    for (StoredFile file : files) {
      try {
        file.discard();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "An incomplete upload could not be removed: " + e);
      }
    }
  }

  private void drop(InputStream content, long limitBytes) throws IOException {
    long total = 0;
    for (int read = 0; read >= 0; read = content.read(buffer, 0, buffer.length)) {
      total += read;
      if (total > limitBytes) {
        throw new RefusedException(ErrorCode.FIELD_TOO_LARGE);
      }
    }
  }

  private void store(InputStream content) throws IOException {
    StoredFile file = create();
    long total = 0;
    int filled = 0;
    for (; ; ) {
      int read = content.read(buffer, filled, buffer.length - filled);
      if (read < 0) {
        break;
      }
      total += read;
      if (total > limits.fileBytes()) {
        throw new RefusedException(ErrorCode.FILE_TOO_LARGE);
      }
      filled += read;
      if (filled == buffer.length) {
        write(file, filled);
        filled = 0;
      }
    }
    write(file, filled);
    close(file);
  }

  private StoredFile create() throws IOException {
    try {
      StoredFile file = folder.create();
      files.add(file);
      return file;
    } catch (IOException e) {
      throw RefusedException.storing(e);
    }
  }

  private void write(StoredFile file, int length) throws IOException {
    if (length == 0) {
      return;
    }
    try {
      file.write(buffer, length);
    } catch (IOException e) {
      throw RefusedException.storing(e);
    }
  }

  /** Some file systems, such as NFS, say only now that the disk or the quota is full. */
  private static void close(StoredFile file) throws IOException {
    try {
      file.close();
    } catch (IOException e) {
      throw RefusedException.storing(e);
    }
  }
}
