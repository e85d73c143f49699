package uploadlab.answer;

/**
 * Every error a client can be told of: its HTTP status, its code (the name in lower case) and a
 * sentence for people.
 */
public enum ErrorCode {
  /** The HTTP request itself can't be understood. */
  BAD_REQUEST(400, "The request is not valid HTTP."),
  /** The boundary or the body does not follow the grammar of multipart/form-data. */
  MALFORMED_MULTIPART(400, "The body is not complete, well-formed multipart/form-data."),
  /** The form holds no file. */
  NO_FILE(400, "The form holds no file in the field avatar."),
  /** The form holds more files than are allowed. */
  TOO_MANY_FILES(400, "The form holds more than two files."),
  /** A file arrived under another field name. */
  UNEXPECTED_FIELD(400, "Files are accepted in the field avatar only."),
  /** There is nothing under this path. */
  NOT_FOUND(404, "There is nothing under this path."),
  /** The path exists, but not for this method. */
  METHOD_NOT_ALLOWED(405, "This path does not answer this method."),
  /** The client stopped sending. */
  REQUEST_TIMEOUT(408, "The request was not sent in time."),
  /** One file is larger than is allowed. */
  FILE_TOO_LARGE(413, "A file is larger than is allowed."),
  /** The whole body is larger than is allowed. */
  REQUEST_TOO_LARGE(413, "The request is larger than is allowed."),
  /** A text field is larger than is allowed. */
  FIELD_TOO_LARGE(413, "A text field is larger than is allowed."),
  /** The form holds more parts than are allowed. */
  TOO_MANY_PARTS(413, "The form holds too many parts."),
  /** The content type is not multipart/form-data. */
  UNSUPPORTED_MEDIA_TYPE(415, "The content type must be multipart/form-data."),
  /** The server failed. */
  INTERNAL_ERROR(500, "The server failed."),
  /** The upload directory can't be written. */
  STORAGE_FAILED(500, "The upload could not be stored."),
  /** The server is stopping. */
  UNAVAILABLE(503, "The server is stopping."),
  /** The disk of the upload directory is full. */
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
