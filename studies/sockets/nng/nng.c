// nng: a pair of sockets, with TCP_NODELAY as it comes.
#include <errno.h>
#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <stdio.h>

#include "transport.h"

static nng_socket connection;

// nng returns its own error codes; they are kept in errno above all of the system's.
enum { NNG_ERRORS = 1 << 16 };

static int result(int error) {
  if (!error) return 0;
  errno = error == NNG_EAGAIN || error == NNG_ETIMEDOUT ? EAGAIN : NNG_ERRORS + error;
  return -1;
}

int transport_open(const struct settings *settings) {
  nng_duration timeout_ms = settings->responds ? NNG_DURATION_INFINITE : (nng_duration)(settings->drain_s * 1e3);
  int error = nng_pair0_open(&connection);
  if (!error) error = nng_socket_set_size(connection, NNG_OPT_RECVMAXSZ, 0);
  if (!error) error = nng_socket_set_ms(connection, NNG_OPT_RECVTIMEO, timeout_ms);
  if (error) return result(error);
  const char *url = tcp_url(settings);
  return result(settings->responds ? nng_listen(connection, url, NULL, 0) : nng_dial(connection, url, NULL, 0));
}

int transport_send(const void *message, size_t bytes) {
  return result(nng_send(connection, (void *)message, bytes, 0));
}

ssize_t transport_receive(void *message, size_t capacity, bool wait) {
  size_t bytes = capacity;
  int error = nng_recv(connection, message, &bytes, wait ? 0 : NNG_FLAG_NONBLOCK);
  return error ? result(error) : (ssize_t)bytes;
}

int transport_descriptor(void) {
  int descriptor = -1;
  nng_socket_get_int(connection, NNG_OPT_RECVFD, &descriptor);
  return descriptor;
}

void transport_close(void) { nng_close(connection); }

const char *transport_error(int error) { return nng_strerror(error > NNG_ERRORS ? error - NNG_ERRORS : NNG_ESYSERR + error); }

const char *transport_version(void) {
  static char text[48];
  snprintf(text, sizeof text, "nng %s", nng_version());
  return text;
}

const char *transport_published_answer(void) { return NULL; }
