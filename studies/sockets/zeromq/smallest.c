// The smallest client of ZeroMQ that creates, connects, sends, receives and closes: smallest PORT.
#include <stdio.h>
#include <zmq.h>

int main(int count, char **arguments) {
  char address[64], answer[64];
  snprintf(address, sizeof address, "tcp://127.0.0.1:%s", arguments[count - 1]);
  // the five things
  void *context = zmq_ctx_new();
  void *connection = zmq_socket(context, ZMQ_PAIR);
  if (!connection) return 1;
  if (zmq_connect(connection, address)) return 1;
  if (zmq_send(connection, "Hello", 5, 0) != 5) return 1;
  if (zmq_recv(connection, answer, sizeof answer, 0) != 5) return 1;
  zmq_close(connection);
  zmq_ctx_term(context);
  // done
  return printf("%.5s\n", answer) < 0;
}
