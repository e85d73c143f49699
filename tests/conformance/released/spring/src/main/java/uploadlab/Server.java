package uploadlab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/** As Spring's guide "Uploading Files" writes it: MultipartFile, transferred to a file. */
@SpringBootApplication
@RestController
public class Server {
  @PostMapping("/api/files")
  @ResponseStatus(HttpStatus.CREATED)
  public void upload(@RequestParam("file") MultipartFile file) throws IOException {
    file.transferTo(Path.of(System.getenv("UPLOAD_DIR")).resolve(UUID.randomUUID().toString()));
  }

  public static void main(String[] arguments) {
    SpringApplication.run(Server.class, "--server.port=" + System.getenv("PORT"));
  }
}
