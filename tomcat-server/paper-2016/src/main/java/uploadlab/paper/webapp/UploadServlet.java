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
 * Receives uploads as the published study prints it ("Rotina de upload Tomcat", in its appendix).
 * What it leaves out is ours: the folder of temporary files, and an exception ends in 500.
 */
public final class UploadServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final int MEMORY_THRESHOLD = 1024 * 1024 * 3; // 3MB
  private static final int MAX_FILE_SIZE = 1024 * 1024 * 200; // 200MB
  private static final int MAX_REQUEST_SIZE = 1024 * 1024 * 230; // 230MB

  private final String uploadPath = System.getenv("UPLOAD_DIR");

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    // In the folder of the uploads, so that write() only renames what is over the threshold.
    DiskFileItemFactory factory = new DiskFileItemFactory(MEMORY_THRESHOLD, new File(uploadPath));
    ServletFileUpload upload = new ServletFileUpload(factory);
    upload.setFileSizeMax(MAX_FILE_SIZE);
    upload.setSizeMax(MAX_REQUEST_SIZE);
    try {
      List<FileItem> formItems = upload.parseRequest(request);
      if (formItems != null && formItems.size() > 0) {
        for (FileItem item : formItems) {
          // processes only fields that are not form fields
          if (!item.isFormField()) {
            String fileName = UUID.randomUUID().toString();
            String filePath = uploadPath + File.separator + fileName;
            File storeFile = new File(filePath);
            // saves the file on disk
            item.write(storeFile);
            request.setAttribute("message", "Upload has been done successfully!");
          }
        }
      }
    } catch (Exception ex) {
      throw new ServletException(ex);
    }
    getServletContext().getRequestDispatcher("/message.jsp").forward(request, response);
  }
}
