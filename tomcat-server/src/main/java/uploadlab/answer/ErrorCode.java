package uploadlab.answer;

/**
 * Every error a client can be told of: its HTTP status, its code (the name in lower case) and a
 * sentence for people.
 */
public enum ErrorCode {
  BAD_REQUEST(400, "The request is not valid HTTP."),
  MALFORMED_MULTIPART(400, "The body is not complete, well-formed multipart/form-data."),
  NO_FILE(400, "The form holds no file in the field avatar."),
  TOO_MANY_FILES(400, "The form holds more than two files."),
  UNEXPECTED_FIELD(400, "Files are accepted in the field avatar only."),
  NOT_FOUND(404, "There is nothing under this path."),
  METHOD_NOT_ALLOWED(405, "This path does not answer this method."),
  REQUEST_TIMEOUT(408, "The request was not sent in time."),
  FILE_TOO_LARGE(413, "A file is larger than is allowed."),
  REQUEST_TOO_LARGE(413, "The request is larger than is allowed."),
  FIELD_TOO_LARGE(413, "A text field is larger than is allowed."),
  TOO_MANY_PARTS(413, "The form holds too many parts."),
  UNSUPPORTED_MEDIA_TYPE(415, "The content type must be multipart/form-data."),
  INTERNAL_ERROR(500, "The server failed."),
  STORAGE_FAILED(500, "The upload could not be stored."),
  UNAVAILABLE(503, "The server is stopping."),
  INSUFFICIENT_STORAGE(507, "There is no space left to store the upload.");

  private final int status;
  private final String message;

  ErrorCode(int status, String message) {
    this.status = status;
    this.message = message;
  }

  /**
   * The HTTP status of the answer.
   *
   * @return the status, 400 to 599
   */
  public int status() {
    return status;
  }

  /**
   * The sentence that tells a person what is wrong.
   *
   * @return a sentence that needs no escaping in JSON
   */
  public String message() {
    return message;
  }
}
