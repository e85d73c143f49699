package uploadlab.webapp;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.ServletRegistration;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** Puts the web application together from its context parameters when Tomcat deploys it. */
public final class Application implements ServletContextListener {

  @Override
  public void contextInitialized(ServletContextEvent event) {
    ServletContext context = event.getServletContext();
    Limits limits = new Limits(bytes(context, "maxFileBytes"), bytes(context, "maxRequestBytes"));
    Multipart.Search search =
        Multipart.Search.valueOf(
            context.getInitParameter("delimiterSearch").toUpperCase(Locale.ROOT));
    UploadFolder folder =
        new UploadFolder(Path.of(context.getInitParameter("uploadDir")), UUID::randomUUID);
    try {
      folder.removeIncomplete();
      UploadEndpoint upload = new UploadEndpoint(folder, limits, search, page());
      Map<String, Router.Endpoint> endpoints =
          Map.of("/getimages", upload, "/health", new HealthEndpoint());
      ServletRegistration.Dynamic router =
          context.addServlet("router", new Router(endpoints, limits));
      router.addMapping("/");
      router.setLoadOnStartup(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long bytes(ServletContext context, String parameter) {
    return Long.parseLong(context.getInitParameter(parameter));
  }

  private static byte[] page() throws IOException {
    try (InputStream page = Application.class.getResourceAsStream("/page.html")) {
      return page.readAllBytes();
    }
  }
}
