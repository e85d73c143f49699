package uploadlab.webapp;

/**
 * What a request may be at most. Every limit is inclusive.
 *
 * @param fileBytes bytes of one file
 * @param requestBytes bytes of the whole body, without transfer coding
 */
record Limits(long fileBytes, long requestBytes) {
  /** Files in one request. */
  static final int FILES = 2;

  /** Parts in one request: files, text fields and ignored ones. */
  static final int PARTS = 100;

  /** Bytes of one text field. */
  static final int FIELD_BYTES = 64 * 1024;

  /** Bytes of the headers of one part, with the empty line that ends them. */
  static final int PART_HEADER_BYTES = 16 * 1024;
}
