// https://spring.io/guides/gs/uploading-files (read 2026-11-27): MultipartFile, Files.copy of its stream. Added: a name by UUID, what fails is
// removed. The guide's two classes stand in one file, without its pages for browsers.
package uploading;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

@SpringBootApplication
@RestController
public class FileUploadController {
  private final Path rootLocation = Path.of(System.getenv("UPLOAD_DIR"));

  @PostMapping("/upload")
  public String handleFileUpload(@RequestParam("file") MultipartFile file) throws IOException {
    Path destinationFile = rootLocation.resolve(UUID.randomUUID().toString());
    try (InputStream inputStream = file.getInputStream()) {
      Files.copy(inputStream, destinationFile);
    } catch (IOException failure) {
      Files.deleteIfExists(destinationFile);
      throw failure;
    }
    return "stored";
  }

  public static void main(String[] args) {
    SpringApplication.run(FileUploadController.class, args);
  }
}
