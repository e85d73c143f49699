// The least that lean's uploads can cost: its writes and reads from one thread, and nothing else.
//
//     floor PORT USERS WARM_UP UPLOADS PIECE...
//
// Users with a connection each send a request in pieces of so many bytes, wait for the answer and send it again, UPLOADS times in
// all after WARM_UP more. No list, no clock, no rows, nothing checked but the first answer's status. Prints one line:
// microseconds of CPU per upload, those of them in the program, those in the kernel; calls of epoll_wait per upload. 2 and a
// reason where that can't be done.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { HEAD_BYTES = 400, LONGEST_ANSWER = 65536, MOST_PIECES = 4096, MOST_USERS = 1024 };

static char *request;
static size_t pieces;
static size_t piece_bytes[MOST_PIECES];
static long answer_bytes;  // of the first answer; the server says the same to everybody

static struct user {
  int socket;
  long received;
} users[MOST_USERS];

static void fail(const char *what) {
  perror(what);
  exit(2);
}

static void make_request(long port) {
  size_t bytes = 0;
  for (size_t i = 0; i < pieces; i++) bytes += piece_bytes[i];
  request = malloc(bytes);
  if (!request || piece_bytes[0] < HEAD_BYTES) fail("the first piece");
  memset(request, 'x', bytes);  // the head is filled up with the name of the program
  int named = snprintf(request, HEAD_BYTES, "POST /getimages HTTP/1.1\r\nHost: 127.0.0.1:%ld\r\nContent-Length: %zu\r\nUser-Agent: ",
                       port, bytes - HEAD_BYTES);
  request[named] = 'x';
  memcpy(request + HEAD_BYTES - 4, "\r\n\r\n", 4);
}

// The sockets block: a piece that doesn't fit waits here for the server to read, which costs no further call.
static void send_request(struct user *user) {
  const char *from = request;
  user->received = 0;
  for (size_t i = 0; i < pieces; from += piece_bytes[i++]) {
    if (write(user->socket, from, piece_bytes[i]) != (ssize_t)piece_bytes[i]) fail("write");
  }
}

static void learn(const char *answer) {
  const char *length = strstr(answer, "\r\nContent-Length: ");
  const char *end = strstr(answer, "\r\n\r\n");
  if (strncmp(answer, "HTTP/1.1 200", 12) || !length || !end) {
    fputs("The server's answer is not 200 with a length.\n", stderr);
    exit(2);
  }
  answer_bytes = end + 4 - answer + atol(length + strlen("\r\nContent-Length: "));
}

// Reads what has come; whether the answer is whole.
static int receive(struct user *user) {
  static char answer[LONGEST_ANSWER + 1];
  ssize_t received = read(user->socket, answer, LONGEST_ANSWER);
  if (received <= 0) fail("read");
  if (!answer_bytes) {
    answer[received] = 0;
    learn(answer);
  }
  user->received += received;
  return user->received >= answer_bytes;
}

static void connect_user(struct user *user, long port, int poll) {
  struct sockaddr_in server = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event readable = {.events = EPOLLIN, .data.ptr = user};
  int yes = 1;
  user->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (user->socket < 0 || connect(user->socket, (struct sockaddr *)&server, sizeof server)) fail("connect");
  if (setsockopt(user->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes)) fail("TCP_NODELAY");
  if (epoll_ctl(poll, EPOLL_CTL_ADD, user->socket, &readable)) fail("epoll_ctl");
}

// Makes so many uploads; returns how often it looked for answers.
static long make_load(long uploads, long user_count, int poll) {
  struct epoll_event events[MOST_USERS];
  long begun = 0, ended = 0, looks = 0;
  for (; begun < uploads && begun < user_count; begun++) send_request(&users[begun]);
  for (; ended < uploads; looks++) {
    int count = epoll_wait(poll, events, MOST_USERS, -1);
    if (count < 0) fail("epoll_wait");
    struct user *free_users[MOST_USERS];
    int free_count = 0;
    for (int i = 0; i < count; i++) {
      if (receive(events[i].data.ptr)) free_users[free_count++] = events[i].data.ptr;
    }
    ended += free_count;
    for (int i = 0; i < free_count && begun < uploads; i++, begun++) send_request(free_users[i]);
  }
  return looks;
}

static double microseconds(struct timeval end, struct timeval start) {
  return 1e6 * (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_usec - start.tv_usec);
}

int main(int count, char **arguments) {
  if (count < 6 || count - 5 > MOST_PIECES || atol(arguments[2]) > MOST_USERS) {
    fputs("usage: floor PORT USERS WARM_UP UPLOADS PIECE...\n", stderr);
    return 2;
  }
  long port = atol(arguments[1]), user_count = atol(arguments[2]), uploads = atol(arguments[4]);
  for (; pieces < (size_t)count - 5; pieces++) piece_bytes[pieces] = (size_t)atol(arguments[5 + pieces]);
  make_request(port);
  int poll = epoll_create1(0);
  for (long i = 0; i < user_count; i++) connect_user(&users[i], port, poll);
  make_load(atol(arguments[3]), user_count, poll);
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  long looks = make_load(uploads, user_count, poll);
  getrusage(RUSAGE_SELF, &after);
  double user_us = microseconds(after.ru_utime, before.ru_utime), system_us = microseconds(after.ru_stime, before.ru_stime);
  printf("%.2f %.2f %.2f %.3f\n", (user_us + system_us) / (double)uploads, user_us / (double)uploads,
         system_us / (double)uploads, (double)looks / (double)uploads);
  return 0;
}
