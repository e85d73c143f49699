package uploadlab.webapp;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.apache.commons.fileupload2.core.FileUploadException;
import uploadlab.answer.ErrorCode;

/** Receives a form with one or two files, stores them and answers with the fixed page. */
final class UploadEndpoint implements Router.Endpoint {
  private static final int SMALLEST_BUFFER_BYTES = 4 * 1024;
  private static final int LARGEST_BUFFER_BYTES = 64 * 1024;

  /** In the servlet context once the server is stopping. */
  private static final String STOPPING = "uploadlab.stopping";

  private final UploadFolder folder;
  private final Limits limits;
  private final Multipart.Search search;
  private final byte[] page;

  UploadEndpoint(UploadFolder folder, Limits limits, Multipart.Search search, byte[] page) {
    this.folder = folder;
    this.limits = limits;
    this.search = search;
    this.page = page.clone();
  }

  @Override
  public List<String> methods() {
    return List.of("POST");
  }

  @Override
  public void answer(HttpServletRequest request, RequestBody body, HttpServletResponse response)
      throws IOException {
    String boundary = checkHead(request);
    byte[] buffer = new byte[bufferBytes(request.getContentLengthLong())];
    Multipart form = Multipart.open(body, boundary, buffer.length, search);
    Upload upload = new Upload(form, folder, limits, buffer);
    boolean complete = false;
    try {
      upload.receive();
      body.readToEnd(buffer);
      upload.publish();
      complete = true;
    } catch (FileUploadException e) {
      throw new RefusedException(ErrorCode.MALFORMED_MULTIPART, e);
    } finally {
      if (!complete) {
        upload.discard();
      }
    }
    if (request.getServletContext().getAttribute(STOPPING) != null) {
      response.setHeader("Connection", "close");
    }
    response.setContentType("text/html; charset=utf-8");
    response.setContentLength(page.length);
    response.getOutputStream().write(page);
  }

  /** How much of a body to read and write at a time, by its declared length, -1 when unknown. */
  private static int bufferBytes(long declaredBytes) {
    long bytes = declaredBytes < 0 ? LARGEST_BUFFER_BYTES : declaredBytes;
    return (int) Math.max(SMALLEST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, bytes));
  }

  private String checkHead(HttpServletRequest request) throws RefusedException {
    String contentType = request.getContentType();
    if (contentType == null || !HeaderValue.valueOf(contentType).equals(Multipart.MEDIA_TYPE)) {
      throw new RefusedException(ErrorCode.UNSUPPORTED_MEDIA_TYPE);
    }
    String boundary = Multipart.boundary(contentType);
    if (request.getContentLengthLong() > limits.requestBytes()) {
      throw new RefusedException(ErrorCode.REQUEST_TOO_LARGE);
    }
    return boundary;
  }
}
