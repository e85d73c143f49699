// The smallest client of Berkeley sockets that creates, connects, sends, receives and closes: smallest PORT.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **arguments) {
  uint16_t port = (uint16_t)atoi(arguments[count - 1]);
  char answer[64];
  // the five things
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  if (connection < 0) return 1;
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  if (connect(connection, (struct sockaddr *)&server, sizeof server)) return 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  struct {
    uint32_t bytes;
    char text[5];
  } message = {htonl(5), "Hello"};
  for (ssize_t done = 0, n; done < 9; done += n) {
    n = write(connection, (char *)&message + done, (size_t)(9 - done));
    if (n <= 0) return 1;
  }
  for (ssize_t done = 0, n; done < 9; done += n) {
    n = read(connection, answer + done, (size_t)(9 - done));
    if (n <= 0) return 1;
  }
  close(connection);
  // done
  return printf("%.5s\n", answer + 4) < 0;
}
