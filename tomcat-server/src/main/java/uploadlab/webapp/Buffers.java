package uploadlab.webapp;

/** How much to read and write at a time. */
final class Buffers {
  private static final int SMALLEST_BYTES = 4 * 1024;
  private static final int LARGEST_BYTES = 64 * 1024;

  private Buffers() {}

  /**
   * The buffer for a body.
   *
   * @param declaredBytes its declared length, -1 when unknown
   */
  static int size(long declaredBytes) {
    if (declaredBytes < 0) {
      return LARGEST_BYTES;
    }
    return (int) Math.max(SMALLEST_BYTES, Math.min(LARGEST_BYTES, declaredBytes));
  }
}
