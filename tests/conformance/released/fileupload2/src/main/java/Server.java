import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.commons.fileupload2.core.DiskFileItem;
import org.apache.commons.fileupload2.core.DiskFileItemFactory;
import org.apache.commons.fileupload2.jakarta.servlet6.JakartaServletFileUpload;

/** As the user guide of commons-fileupload writes it: parseRequest, and write for each item that is no form field. */
public final class Server extends HttpServlet {
  private static final Path FOLDER = Path.of(System.getenv("UPLOAD_DIR"));

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
    DiskFileItemFactory factory = DiskFileItemFactory.builder().get();
    try {
      for (DiskFileItem item : new JakartaServletFileUpload<DiskFileItem, DiskFileItemFactory>(factory).parseRequest(request)) {
        if (!item.isFormField()) {
          item.write(FOLDER.resolve(UUID.randomUUID().toString()));
        }
      }
    } catch (Exception e) {
      throw new ServletException(e);
    }
    response.setStatus(201);
  }

  public static void main(String[] arguments) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
    tomcat.setPort(Integer.parseInt(System.getenv("PORT")));
    tomcat.getConnector();
    Context context = tomcat.addContext("", new File(".").getAbsolutePath());
    Tomcat.addServlet(context, "upload", new Server());
    context.addServletMappingDecoded("/api/files", "upload");
    tomcat.start();
    tomcat.getServer().await();
  }
}
