package uploadlab.server;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Requests as bytes. Text is one character a byte. */
final class Requests {
  static final String BOUNDARY = "lab-boundary";
  static final String DELIMITER = "--" + BOUNDARY + "\r\n";
  static final String END = "--" + BOUNDARY + "--\r\n";

  private Requests() {}

  static byte[] bytes(Object... pieces) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (Object piece : pieces) {
      byte[] more =
          piece instanceof byte[] raw
              ? raw
              : piece.toString().getBytes(StandardCharsets.ISO_8859_1);
      bytes.writeBytes(more);
    }
    return bytes.toByteArray();
  }

  /** Bytes that are the same for the same seed. */
  static byte[] data(int length, long seed) {
    byte[] data = new byte[length];
    new Random(seed).nextBytes(data);
    return data;
  }

  static byte[] file(String field, byte[] data) {
    return bytes(
        DELIMITER,
        "Content-Disposition: form-data; name=\"" + field + "\"; filename=\"photo.jpg\"\r\n",
        "Content-Type: image/jpeg\r\n\r\n",
        data,
        "\r\n");
  }

  static byte[] form(byte[]... parts) {
    return bytes(bytes((Object[]) parts), END);
  }

  static byte[] upload(byte[] body) {
    return bytes(head(body.length), body);
  }

  static String head(long contentLength) {
    return "POST /getimages HTTP/1.1\r\nHost: lab\r\nContent-Type: multipart/form-data; boundary="
        + BOUNDARY
        + "\r\nContent-Length: "
        + contentLength
        + "\r\n\r\n";
  }
}
