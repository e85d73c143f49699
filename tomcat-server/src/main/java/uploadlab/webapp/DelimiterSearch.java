package uploadlab.webapp;

/** Who looks for the delimiter that ends a part. */
enum DelimiterSearch {
  /** The parser of commons-fileupload, which looks at every byte. */
  COMMONS,
  /** Horspool's algorithm, as busboy does; the parser sees delimiters and headers only. */
  HORSPOOL
}
