package uploadlab.paper.webapp;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.commons.fileupload.FileItem;
import org.apache.commons.fileupload.disk.DiskFileItemFactory;
import org.apache.commons.fileupload.servlet.ServletFileUpload;

/**
 * Receives uploads the way the published study did: the whole form is parsed into memory, or into
 * temporary files above a threshold, then every file is written under a random UUID and a page is
 * forwarded to.
 */
public final class UploadServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final int MEMORY_THRESHOLD_BYTES = 3 * 1024 * 1024;
  private static final long MAX_FILE_BYTES = 200L * 1024 * 1024;
  private static final long MAX_REQUEST_BYTES = 230L * 1024 * 1024;

  private final File uploadFolder = new File(System.getenv("UPLOAD_DIR"));

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    try {
      List<FileItem> items = upload().parseRequest(request);
      for (FileItem item : items) {
        if (!item.isFormField()) {
          item.write(new File(uploadFolder, UUID.randomUUID().toString()));
        }
      }
    } catch (IOException | ServletException e) {
      throw e;
    } catch (Exception e) {
      // FileItem.write declares nothing narrower.
      throw new ServletException(e);
    }
    request.getRequestDispatcher("/message.jsp").forward(request, response);
  }

  private static ServletFileUpload upload() {
    File temporary = new File(System.getProperty("java.io.tmpdir"));
    ServletFileUpload upload =
        new ServletFileUpload(new DiskFileItemFactory(MEMORY_THRESHOLD_BYTES, temporary));
    upload.setFileSizeMax(MAX_FILE_BYTES);
    upload.setSizeMax(MAX_REQUEST_BYTES);
    return upload;
  }
}
