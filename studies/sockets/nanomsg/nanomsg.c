// nanomsg: a pair of sockets with TCP_NODELAY, as published.
#include <errno.h>
#include <nanomsg/nn.h>
#include <nanomsg/pair.h>
#include <nanomsg/tcp.h>

#include "transport.h"

static int connection = -1;

int transport_open(const struct settings *settings) {
  connection = nn_socket(AF_SP, NN_PAIR);
  if (connection < 0) return -1;
  if (nn_setsockopt(connection, NN_TCP, NN_TCP_NODELAY, &(int){1}, sizeof(int))) return -1;
  if (nn_setsockopt(connection, NN_SOL_SOCKET, NN_RCVMAXSIZE, &(int){-1}, sizeof(int))) return -1;
  int timeout_ms = settings->responds ? -1 : (int)(settings->drain_s * 1e3);
  if (nn_setsockopt(connection, NN_SOL_SOCKET, NN_RCVTIMEO, &timeout_ms, sizeof timeout_ms)) return -1;
  return (settings->responds ? nn_bind : nn_connect)(connection, tcp_url(settings)) < 0 ? -1 : 0;
}

int transport_send(const void *message, size_t bytes) {
  return nn_send(connection, message, bytes, 0) == (int)bytes ? 0 : -1;
}

ssize_t transport_receive(void *message, size_t capacity, bool wait) {
  int bytes = nn_recv(connection, message, capacity, wait ? 0 : NN_DONTWAIT);
  if (bytes > (int)capacity) {
    errno = EMSGSIZE;
    return -1;
  }
  if (bytes < 0 && errno == ETIMEDOUT) errno = EAGAIN;
  return bytes;
}

int transport_descriptor(void) {
  int descriptor = -1;
  nn_getsockopt(connection, NN_SOL_SOCKET, NN_RCVFD, &descriptor, &(size_t){sizeof descriptor});
  return descriptor;
}

void transport_close(void) { nn_close(connection); }

const char *transport_error(int error) { return nn_strerror(error); }

const char *transport_version(void) { return "nanomsg " LIBRARY_VERSION; }

const char *transport_published_answer(void) { return NULL; }
