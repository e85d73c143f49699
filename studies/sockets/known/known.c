// A responder whose answers follow a law, for tests of everything behind it: Berkeley sockets, and before each answer a
// delay of KNOWN_LAW (constant, exponential, lognormal, stalls) with a mean of KNOWN_MEAN_US; every KNOWN_EVERY-th
// answer of a phase suffers KNOWN_FAULT (none, drop, double, swap; corrupt: its last byte; corrupt_middle).
#define transport_open stream_open
#define transport_send stream_send
#define transport_version stream_version
#include "../berkeley/berkeley.c"
#undef transport_open
#undef transport_send
#undef transport_version

#include <err.h>
#include <stdlib.h>

#include "phases.h"
#include "recorder.h"

enum { SPIN_NS = 200000, STALL_EVERY = 100 };

static const char *law, *fault;
static double mean_ns;
static uint64_t every, answers, state;
static unsigned char held[MOST_BYTES];
static size_t held_bytes;

int transport_open(const struct settings *given) {
  law = text_or("KNOWN_LAW", "constant");
  fault = text_or("KNOWN_FAULT", "none");
  mean_ns = 1e3 * atof(text_or("KNOWN_MEAN_US", "2000"));
  every = strtoull(text_or("KNOWN_EVERY", "10000"), NULL, 10);
  if (!every || mean_ns < 0) errx(2, "KNOWN_EVERY and KNOWN_MEAN_US must be above 0.");
  state = given->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
  return stream_open(given);
}

static double delay_ns(void) {
  if (!strcmp(law, "constant")) return mean_ns;
  if (!strcmp(law, "exponential")) return -mean_ns * log(uniform(&state));
  if (!strcmp(law, "lognormal")) {  // sigma 0.5; the mean of exp(N) is exp(sigma^2 / 2)
    double radius = sqrt(-2 * log(uniform(&state)));  // drawn first: C leaves the order within an expression open
    return mean_ns * exp(0.5 * radius * cos(2 * M_PI * uniform(&state)) - 0.125);
  }
  if (!strcmp(law, "stalls")) return answers % STALL_EVERY ? mean_ns / 2 : mean_ns / 2 + mean_ns / 2 * STALL_EVERY;
  errx(2, "KNOWN_LAW=%s: expected constant, exponential, lognormal or stalls.", law);
}

static void pass(int64_t until_ns) {
  sleep_until_ns(until_ns - SPIN_NS);
  while (now_ns() < until_ns) {
  }
}

static int send_corrupted(const void *message, size_t bytes, size_t at) {
  static unsigned char copy[MOST_BYTES];
  memcpy(copy, message, bytes);
  if (bytes) copy[at] ^= 1;
  return stream_send(copy, bytes);
}

static int send_with_fault(const void *message, size_t bytes) {
  if (!strcmp(fault, "drop")) return 0;
  if (!strcmp(fault, "double")) return stream_send(message, bytes) || stream_send(message, bytes) ? -1 : 0;
  if (!strcmp(fault, "corrupt")) return send_corrupted(message, bytes, bytes - 1);
  if (!strcmp(fault, "corrupt_middle")) return send_corrupted(message, bytes, bytes / 2);
  if (strcmp(fault, "swap")) {
    errx(2, "KNOWN_FAULT=%s: expected none, drop, double, swap, corrupt or corrupt_middle.", fault);
  }
  memcpy(held, message, bytes);  // goes out behind the next one
  held_bytes = bytes;
  return 0;
}

static int send_held(void) {
  size_t bytes = held_bytes;
  held_bytes = 0;
  return bytes ? stream_send(held, bytes) : 0;
}

int transport_send(const void *message, size_t bytes) {
  if (!settings->responds) return stream_send(message, bytes);
  if (message_is_end(message, bytes)) {
    answers = 0;  // counted anew in each phase, of which nothing goes into the next
    return send_held() || stream_send(message, bytes) ? -1 : 0;
  }
  int64_t received_ns = now_ns();
  double delay = delay_ns();
  if (delay > 0) pass(received_ns + (int64_t)delay);
  if (++answers % every == 0 && strcmp(fault, "none")) return send_with_fault(message, bytes);
  return stream_send(message, bytes) || send_held() ? -1 : 0;
}

const char *transport_version(void) { return "of this lab"; }
