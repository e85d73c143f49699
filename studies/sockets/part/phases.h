// What the responder and the requester do in each phase that the conductor calls.
#ifndef PHASES_H
#define PHASES_H

#include <stdint.h>

#include "recorder.h"
#include "settings.h"

// Which messages of a stream came, how often and in which order; one bit a message.
struct arrivals {
  uint64_t *seen;
  uint64_t words;
  uint64_t different;
  uint64_t duplicated;
  uint64_t out_of_order;  // came after one with a higher number
  uint32_t next;          // one more than the highest number so far
};

void arrivals_note(struct arrivals *arrivals, uint32_t seq);

// What a part did in one phase.
struct tally {
  uint64_t sent;
  uint64_t received;
  uint64_t wrong;  // messages of another length or with other bytes
  uint64_t unanswered;
  uint64_t timed_out;  // no answer came within drain_s, then or later
  struct arrivals arrivals;
};

// `recorder` is NULL where nothing is recorded; `start_ns` is on CLOCK_MONOTONIC.
void responder_serve(const struct settings *settings, struct recorder *recorder, int64_t start_ns, struct tally *tally);
void requester_load(const struct settings *settings, struct recorder *recorder, int64_t start_ns, double duration_s,
                    struct tally *tally);

// Send messages of every size both ways and compare all their bytes.
void responder_verify(const struct settings *settings, struct tally *tally);
void requester_verify(const struct settings *settings, struct tally *tally);

// Return how many ns the part itself needs for an operation: fill, stamp, record, check, with nothing in between. The least
// of several tries, as others' work only adds.
double requester_own_cost_ns(const struct settings *settings);

// These end the process where the transport fails. -1 is no message: of a requester that waits, none for drain_s.
void send_or_end(const void *message, size_t bytes);
ssize_t receive_or_end(void *message, bool wait);

void sleep_until_ns(int64_t time_ns);  // on CLOCK_MONOTONIC

// Return a random number in (0, 1].
double uniform(uint64_t *state);

#endif
