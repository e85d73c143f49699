// The smallest client of nanomsg that creates, connects, sends, receives and closes: smallest PORT.
#include <nanomsg/nn.h>
#include <nanomsg/pair.h>
#include <nanomsg/tcp.h>
#include <stdio.h>

int main(int count, char **arguments) {
  char address[64], answer[64];
  snprintf(address, sizeof address, "tcp://127.0.0.1:%s", arguments[count - 1]);
  // the five things
  int connection = nn_socket(AF_SP, NN_PAIR);
  if (connection < 0) return 1;
  nn_setsockopt(connection, NN_TCP, NN_TCP_NODELAY, &(int){1}, sizeof(int));
  if (nn_connect(connection, address) < 0) return 1;
  if (nn_send(connection, "Hello", 5, 0) != 5) return 1;
  if (nn_recv(connection, answer, sizeof answer, 0) != 5) return 1;
  nn_close(connection);
  // done
  return printf("%.5s\n", answer) < 0;
}
