// Berkeley sockets: a TCP stream; each message is framed by its length, 4 bytes. As published: no frames, one read.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "transport.h"

enum { ONE_READ_BYTES = 99999, CONNECT_TRIES = 200, PAUSE_NS = 50000000 };

static const char PUBLISHED_ANSWER[] = "I got your message";

static const struct settings *settings;
static int listening = -1;
static int connection = -1;
static size_t last_sent_bytes;

static int set_up(int one) {
  connection = one;
  if (setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int))) return -1;
  if (settings->responds) return 0;
  double seconds, rest = modf(settings->drain_s, &seconds);
  struct timeval timeout = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(rest * 1e6)};
  return setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

static int listen_at(const struct sockaddr_in *address) {
  listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0 || setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int))) return -1;
  if (bind(listening, (const struct sockaddr *)address, sizeof *address)) return -1;
  return listen(listening, 5);
}

static int connect_to(const struct sockaddr_in *address) {
  for (int tries = 0; tries < CONNECT_TRIES; tries++) {  // as the other libraries: until somebody listens
    int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (one < 0) return -1;
    if (!connect(one, (const struct sockaddr *)address, sizeof *address)) return set_up(one);
    close(one);
    if (errno != ECONNREFUSED) return -1;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
  }
  return -1;
}

int transport_open(const struct settings *given) {
  settings = given;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(given->port)};
  if (inet_pton(AF_INET, given->host, &address.sin_addr) == 1) {
    return given->responds ? listen_at(&address) : connect_to(&address);
  }
  errno = EINVAL;
  return -1;
}

static int accept_first(void) {
  if (connection >= 0) return 0;
  int one = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  return one < 0 ? -1 : set_up(one);
}

static int write_all(struct iovec *pieces, int count) {
  while (count) {
    ssize_t written = writev(connection, pieces, count);
    if (written < 0) return -1;
    while (count && (size_t)written >= pieces->iov_len) {
      written -= (ssize_t)pieces->iov_len;
      pieces++;
      count--;
    }
    if (count) {
      pieces->iov_base = (char *)pieces->iov_base + written;
      pieces->iov_len -= (size_t)written;
    }
  }
  return 0;
}

// As published an answer has no number: one that came when nobody waited any more would be taken for the next message's.
static void drop_late_answers(void) {
  unsigned char late[1024];
  while (recv(connection, late, sizeof late, MSG_DONTWAIT) > 0) {
  }
}

int transport_send(const void *message, size_t bytes) {
  if (settings->as_published && !settings->responds && settings->loop != OPEN) drop_late_answers();
  uint32_t length = htonl((uint32_t)bytes);
  struct iovec pieces[] = {{&length, sizeof length}, {(void *)message, bytes}};
  last_sent_bytes = bytes;
  return settings->as_published ? write_all(pieces + 1, 1) : write_all(pieces, 2);
}

static int read_all(void *into, size_t bytes) {
  while (bytes) {
    ssize_t got = recv(connection, into, bytes, MSG_WAITALL);
    if (got < 0) return -1;
    if (got == 0) {
      errno = ECONNRESET;
      return -1;
    }
    into = (char *)into + got;
    bytes -= (size_t)got;
  }
  return 0;
}

static ssize_t receive_frame(void *message, size_t capacity, int flags) {
  uint32_t length;
  ssize_t there = recv(connection, &length, sizeof length, MSG_PEEK | flags);
  if (there < 0) return -1;
  if (read_all(&length, sizeof length)) return -1;
  size_t bytes = ntohl(length);
  if (bytes > capacity) {
    errno = EMSGSIZE;
    return -1;
  }
  return read_all(message, bytes) ? -1 : (ssize_t)bytes;
}

// The published server reads at most 99,999 bytes once, and answers each read.
static ssize_t receive_request(void *message, size_t capacity, int flags) {
  ssize_t got = recv(connection, message, capacity < ONE_READ_BYTES ? capacity : ONE_READ_BYTES, flags);
  if (got == 0) errno = ECONNRESET;
  return got > 0 ? got : -1;
}

// So a long message gets several answers: one for each whole or begun 99,999 bytes is waited for. What ends a phase may
// come behind answers that nobody waited for, as TCP may cut a message into more pieces than that.
static ssize_t receive_answers(unsigned char *message, size_t capacity, int flags) {
  size_t pieces = (last_sent_bytes + ONE_READ_BYTES - 1) / ONE_READ_BYTES;
  size_t wanted = pieces * (sizeof PUBLISHED_ANSWER - 1);
  for (size_t got = 0; got < wanted;) {
    ssize_t more = recv(connection, message + got, capacity - got, got ? 0 : flags);
    if (more == 0) errno = ECONNRESET;
    if (more <= 0) return -1;
    got += (size_t)more;
    if (got >= HEADER_BYTES && message_is_end(message + got - HEADER_BYTES, HEADER_BYTES)) {
      memmove(message, message + got - HEADER_BYTES, HEADER_BYTES);
      return HEADER_BYTES;
    }
  }
  return (ssize_t)wanted;
}

ssize_t transport_receive(void *message, size_t capacity, bool wait) {
  if (settings->responds && accept_first()) return -1;
  int flags = wait ? 0 : MSG_DONTWAIT;
  if (!settings->as_published) return receive_frame(message, capacity, flags);
  return settings->responds ? receive_request(message, capacity, flags) : receive_answers(message, capacity, flags);
}

int transport_descriptor(void) { return connection; }

void transport_close(void) {
  if (connection >= 0) close(connection);
  if (listening >= 0) close(listening);
}

const char *transport_error(int error) { return strerror(error); }

const char *transport_version(void) {
  static struct utsname system;
  uname(&system);
  return system.release;
}

const char *transport_published_answer(void) { return PUBLISHED_ANSWER; }
