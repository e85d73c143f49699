// The smallest client of nng that creates, connects, sends, receives and closes: smallest PORT.
#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <stdio.h>

int main(int count, char **arguments) {
  char address[64], answer[64];
  snprintf(address, sizeof address, "tcp://127.0.0.1:%s", arguments[count - 1]);
  // the five things
  nng_socket connection;
  size_t bytes = sizeof answer;
  if (nng_pair0_open(&connection)) return 1;
  if (nng_dial(connection, address, NULL, 0)) return 1;
  if (nng_send(connection, "Hello", 5, 0)) return 1;
  if (nng_recv(connection, answer, &bytes, 0)) return 1;
  nng_close(connection);
  // done
  return printf("%.5s\n", answer) < 0;
}
