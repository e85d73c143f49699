// What a part is told by its environment; every name is the variable's in lower case.
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum loop { PACED, PING_PONG, OPEN, SATURATE };

struct settings {
  bool responds;  // ROLE=responder; else it requests
  const char *host;
  uint16_t port;
  uint32_t message_bytes;
  enum loop loop;
  double rate_per_s;
  double duration_s;
  double warmup_s;
  double drain_s;
  uint32_t stamp_every;  // every n-th message is recorded
  uint64_t seed;
  int io_threads;        // ZeroMQ: of its own, which send and receive for it
  bool as_published;  // PATTERNS=as_published: each library as the paper's appendices use it
  const char *records_file;
  uint64_t records_capacity;
  const char *events_file;
};

static inline bool is_stamped(const struct settings *settings, uint32_t seq) { return seq % settings->stamp_every == 0; }

// Ends the process with a sentence where a variable is missing or is no value of its kind.
struct settings read_settings(void);

// Return tcp://HOST:PORT.
const char *tcp_url(const struct settings *settings);

// Return an environment variable, or `otherwise` where it is missing or empty.
const char *text_or(const char *name, const char *otherwise);

#endif
