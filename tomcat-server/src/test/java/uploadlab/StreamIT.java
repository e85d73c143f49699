package uploadlab;

/** The rows of docs/upload-contract.md, with the interface {@code stream}. */
class StreamIT extends ContractIT {
  @Override
  String api() {
    return "stream";
  }
}
