#include "settings.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static const char *const LOOPS[] = {[PACED] = "paced", [PING_PONG] = "ping_pong", [OPEN] = "open", [SATURATE] = "saturate"};
enum { LOOP_COUNT = sizeof LOOPS / sizeof *LOOPS };

static const char *text(const char *name) {
  const char *value = getenv(name);
  if (!value || !*value) errx(2, "The environment variable %s is missing.", name);
  return value;
}

const char *text_or(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? value : otherwise;
}

static uint64_t whole(const char *name, const char *value, uint64_t least, uint64_t most) {
  char *rest;
  errno = 0;
  uint64_t number = strtoull(value, &rest, 10);
  if (errno || *rest || rest == value || *value == '-' || number < least || number > most) {
    errx(2, "%s=%s: expected a whole number from %llu to %llu.", name, value, (unsigned long long)least,
             (unsigned long long)most);
  }
  return number;
}

static double number(const char *name, const char *value) {
  char *rest;
  double result = strtod(value, &rest);
  if (*rest || rest == value || !isfinite(result) || result < 0) {
    errx(2, "%s=%s: expected a number of at least 0.", name, value);
  }
  return result;
}

static enum loop loop_named(const char *name) {
  for (int loop = 0; loop < LOOP_COUNT; loop++) {
    if (!strcmp(name, LOOPS[loop])) return loop;
  }
  errx(2, "LOOP=%s: expected paced, ping_pong, open or saturate.", name);
}

static bool one_of(const char *name, const char *value, const char *no, const char *yes) {
  if (strcmp(value, no) && strcmp(value, yes)) errx(2, "%s=%s: expected %s or %s.", name, value, no, yes);
  return !strcmp(value, yes);
}

struct settings read_settings(void) {
  struct settings result = {
      .responds = one_of("ROLE", text("ROLE"), "requester", "responder"),
      .message_bytes = (uint32_t)whole("MESSAGE_BYTES", text("MESSAGE_BYTES"), 0, 1 << 20),
      .loop = loop_named(text("LOOP")),
      .rate_per_s = number("RATE_PER_S", text_or("RATE_PER_S", "0")),
      .duration_s = number("DURATION_S", text("DURATION_S")),
      .warmup_s = number("WARMUP_S", text_or("WARMUP_S", "0")),
      .drain_s = number("DRAIN_S", text_or("DRAIN_S", "5")),
      .stamp_every = (uint32_t)whole("STAMP_EVERY", text_or("STAMP_EVERY", "1"), 1, UINT32_MAX),
      .seed = whole("SEED", text_or("SEED", "1"), 0, UINT64_MAX),
      .io_threads = (int)whole("IO_THREADS", text_or("IO_THREADS", "1"), 1, 64),
      .as_published = one_of("PATTERNS", text_or("PATTERNS", "pair"), "pair", "as_published"),
      .records_file = text("RECORDS_FILE"),
      .records_capacity = whole("RECORDS_CAPACITY", text("RECORDS_CAPACITY"), 1, UINT32_MAX),
      .events_file = text("EVENTS_FILE"),
  };
  // A responder listens at its own address; a requester is told where the responder is (HOST:PORT).
  result.host = result.responds ? text("HOST") : strdup(text("RESPONDER_ADDRESSES"));
  const char *port = result.responds ? text("PORT") : strrchr(result.host, ':');
  if (!port) errx(2, "RESPONDER_ADDRESSES=%s: expected HOST:PORT.", result.host);
  if (!result.responds) {
    *(char *)port = '\0';
    port++;
  }
  result.port = (uint16_t)whole(result.responds ? "PORT" : "RESPONDER_ADDRESSES", port, 1, USHRT_MAX);
  bool needs_rate = result.loop == PACED || result.loop == OPEN;
  if (needs_rate && result.rate_per_s == 0) errx(2, "LOOP=%s needs a RATE_PER_S above 0.", LOOPS[result.loop]);
  return result;
}

const char *tcp_url(const struct settings *settings) {
  static char url[128];
  snprintf(url, sizeof url, "tcp://%s:%u", settings->host, settings->port);
  return url;
}
