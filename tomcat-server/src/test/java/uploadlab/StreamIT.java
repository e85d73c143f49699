package uploadlab;

/** The rows of docs/guides/your-server.md, with the interface {@code stream}. */
class StreamIT extends ContractIT {
  @Override
  String api() {
    return "stream";
  }
}
