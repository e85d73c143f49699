package uploadlab;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.commons.fileupload2.core.DiskFileItem;
import org.apache.commons.fileupload2.core.DiskFileItemFactory;
import org.apache.commons.fileupload2.core.FileItemInput;
import org.apache.commons.fileupload2.core.FileUploadException;
import org.apache.commons.fileupload2.core.FileUploadSizeException;
import org.apache.commons.fileupload2.core.MultipartInput.MalformedStreamException;
import org.apache.commons.fileupload2.jakarta.servlet6.JakartaServletFileUpload;
import org.apache.commons.io.FileUtils;

/**
 * Stores the files of a form, as the documentation of commons-fileupload has it (both read
 * 2026-11-27): {@code parse} is <a
 * href="https://commons.apache.org/proper/commons-fileupload/using.html">using.html</a>, {@code
 * stream} is <a
 * href="https://commons.apache.org/proper/commons-fileupload/streaming.html">streaming.html</a>.
 */
@WebServlet("/getimages")
public final class UploadServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final String FIELD = "avatar";
  private static final int MOST_FILES = 2;

  private final boolean streams = setting("FILEUPLOAD_API", "parse").equals("stream");
  private final int thresholdBytes = Integer.parseInt(setting("THRESHOLD_BYTES", "10240"));
  private final long maxFileBytes = Long.parseLong(setting("MAX_FILE_BYTES", "209715200"));
  private final long maxRequestBytes = Long.parseLong(setting("MAX_REQUEST_BYTES", "241172480"));
  private final transient Path folder = Path.of(System.getenv("UPLOAD_DIR"));

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    if (!JakartaServletFileUpload.isMultipartContent(request)) {
      response.sendError(HttpServletResponse.SC_UNSUPPORTED_MEDIA_TYPE, "Not a multipart form.");
      return;
    }
    List<Path> stored = new ArrayList<>();
    try {
      if (streams) {
        stream(request, stored);
      } else {
        parse(request, stored);
      }
      if (stored.isEmpty()) {
        throw new FileUploadException("Expected a file in the field " + FIELD + ".");
      }
      if (response.isCommitted()) {
        throw new EOFException("The request was cut off; Tomcat has refused it itself.");
      }
    } catch (IOException | InvalidPathException e) {
      for (Path file : stored) {
        Files.deleteIfExists(file);
      }
      if (!response.isCommitted()) {
        response.sendError(statusOf(e), e.getMessage());
      }
      return;
    }
    request.getRequestDispatcher("/message.jsp").forward(request, response);
  }

  private void parse(HttpServletRequest request, List<Path> stored) throws IOException {
    List<DiskFileItem> items = upload().parseRequest(request);
    try {
      for (DiskFileItem item : items) {
        if (!item.isFormField()) {
          item.write(next(item.getFieldName(), stored));
        }
      }
    } finally {
      for (DiskFileItem item : items) {
        item.delete(); // of what was not moved, such as long text fields
      }
    }
  }

  private void stream(HttpServletRequest request, List<Path> stored) throws IOException {
    upload()
        .getItemIterator(request)
        .forEachRemaining(
            (FileItemInput item) -> {
              if (!item.isFormField()) {
                Path file = next(item.getFieldName(), stored);
                FileUtils.copyInputStreamToFile(item.getInputStream(), file.toFile());
              }
            });
  }

  private JakartaServletFileUpload<DiskFileItem, DiskFileItemFactory> upload() {
    // The folder of the uploads is also that of temporary files, so that write() only renames them.
    DiskFileItemFactory factory =
        DiskFileItemFactory.builder().setPath(folder).setThreshold(thresholdBytes).get();
    JakartaServletFileUpload<DiskFileItem, DiskFileItemFactory> upload =
        new JakartaServletFileUpload<>(factory);
    upload.setMaxFileSize(maxFileBytes);
    upload.setMaxSize(maxRequestBytes);
    return upload;
  }

  private Path next(String field, List<Path> stored) throws FileUploadException {
    if (!FIELD.equals(field) || stored.size() == MOST_FILES) {
      throw new FileUploadException(
          "Expected at most " + MOST_FILES + " files, in the field " + FIELD + ".");
    }
    Path file = folder.resolve(UUID.randomUUID().toString());
    stored.add(file);
    return file;
  }

  /**
   * What the library finds in a form is a FileUploadException; what the disk says is its cause, or
   * another.
   */
  private static int statusOf(Exception e) {
    if (e instanceof FileUploadSizeException) {
      return HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE;
    }
    boolean malformed = e instanceof MalformedStreamException || e instanceof InvalidPathException;
    if (malformed || e instanceof FileUploadException && !(e.getCause() instanceof IOException)) {
      return HttpServletResponse.SC_BAD_REQUEST;
    }
    return HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
  }

  private static String setting(String name, String fallback) {
    return System.getenv().getOrDefault(name, fallback);
  }
}
