package uploadlab.server;

/** The contract with the setting delimiter_search at commons. */
class CommonsSearchIT extends UploadContract {
  CommonsSearchIT() {
    super("commons");
  }
}
