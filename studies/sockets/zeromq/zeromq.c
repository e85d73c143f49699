// ZeroMQ: a pair of sockets; as published the responder is REP and the requester REQ.
#include <errno.h>
#include <stdio.h>
#include <zmq.h>

#include "transport.h"

static void *context;
static void *connection;

int transport_open(const struct settings *settings) {
  int request = settings->responds ? ZMQ_REP : ZMQ_REQ;
  context = zmq_ctx_new();
  if (!context || zmq_ctx_set(context, ZMQ_IO_THREADS, settings->io_threads)) return -1;
  connection = zmq_socket(context, settings->as_published ? request : ZMQ_PAIR);
  if (!connection) return -1;
  int timeout_ms = settings->responds ? -1 : (int)(settings->drain_s * 1e3);
  if (zmq_setsockopt(connection, ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms)) return -1;
  return (settings->responds ? zmq_bind : zmq_connect)(connection, tcp_url(settings));
}

int transport_send(const void *message, size_t bytes) {
  return zmq_send(connection, message, bytes, 0) == (int)bytes ? 0 : -1;
}

ssize_t transport_receive(void *message, size_t capacity, bool wait) {
  int bytes = zmq_recv(connection, message, capacity, wait ? 0 : ZMQ_DONTWAIT);
  if (bytes > (int)capacity) {
    errno = EMSGSIZE;
    return -1;
  }
  return bytes;
}

int transport_descriptor(void) {
  int descriptor = -1;
  zmq_getsockopt(connection, ZMQ_FD, &descriptor, &(size_t){sizeof descriptor});
  return descriptor;
}

void transport_close(void) {
  zmq_close(connection);
  zmq_ctx_term(context);
}

const char *transport_error(int error) { return zmq_strerror(error); }

const char *transport_version(void) {
  static char text[48];
  int major, minor, patch;
  zmq_version(&major, &minor, &patch);
  snprintf(text, sizeof text, "libzmq %d.%d.%d", major, minor, patch);
  return text;
}

const char *transport_published_answer(void) { return NULL; }
