import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Sends a form with the JDK's own client: Upload.java URL COMMENT ANSWER_FILE FILE...; prints the status. */
class Upload {
  private static final String BOUNDARY = "java-http-client-4f1c2a";

  public static void main(String[] arguments) throws Exception {
    List<BodyPublisher> body = new ArrayList<>();
    body.add(text("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\n" + arguments[1]));
    for (int i = 3; i < arguments.length; i++) {
      Path file = Path.of(arguments[i]);
      body.add(text("\r\n--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\""
          + file.getFileName() + "\"\r\nContent-Type: image/png\r\n\r\n"));
      body.add(BodyPublishers.ofFile(file));
    }
    body.add(text("\r\n--" + BOUNDARY + "--\r\n"));
    HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0]))
        .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
        .POST(BodyPublishers.concat(body.toArray(BodyPublisher[]::new)))
        .build();
    HttpResponse<Path> answer = HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.ofFile(Path.of(arguments[2])));
    System.out.println(answer.statusCode());
  }

  private static BodyPublisher text(String value) {
    return BodyPublishers.ofString(value);
  }
}
