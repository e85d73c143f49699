package uploadlab.server;

/** The contract with the setting delimiter_search at horspool. */
class HorspoolSearchIT extends UploadContract {
  HorspoolSearchIT() {
    super("horspool");
  }
}
