#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "message.h"
#include "phases.h"
#include "transport.h"

enum { WHOLE_EVERY = 1000, FARTHEST_AHEAD = 10000000 };

static unsigned char incoming[MOST_BYTES];

// Hold a message to what it should be, and note its number; returns the number.
static uint32_t take(const struct settings *settings, size_t bytes, enum record_status *status, struct tally *tally) {
  uint32_t expected = tally->arrivals.next;
  tally->received++;
  if (settings->as_published) {  // of a stream read as it comes, a piece has no number of its own
    *status = RECORD_GOOD;
    arrivals_note(&tally->arrivals, expected);
    return expected;
  }
  uint32_t seq = message_seq(incoming, bytes, expected);
  *status = message_check(incoming, bytes, seq, settings->message_bytes, seq % WHOLE_EVERY == 0);
  if (seq > expected && seq - expected > FARTHEST_AHEAD) *status = RECORD_WRONG_BYTES;
  if (*status == RECORD_GOOD) {
    arrivals_note(&tally->arrivals, seq);
  } else {
    tally->wrong++;
  }
  return seq;
}

static void answer(const struct settings *settings, size_t bytes) {
  const char *published = settings->as_published ? transport_published_answer() : NULL;
  if (published) {
    send_or_end(published, strlen(published));
  } else {
    send_or_end(incoming, bytes);
  }
}

void responder_serve(const struct settings *settings, struct recorder *recorder, int64_t start_ns, struct tally *tally) {
  bool answers = settings->loop != SATURATE || settings->as_published;
  sleep_until_ns(start_ns);  // the first message is not waited for before it can come
  for (;;) {
    int64_t waiting_ns = now_ns();
    size_t bytes = (size_t)receive_or_end(incoming, true);
    int64_t received_ns = now_ns();
    if (message_is_end(incoming, bytes)) break;
    enum record_status status;
    uint32_t seq = take(settings, bytes, &status, tally);
    if (answers) answer(settings, bytes);
    if (!recorder || seq % settings->stamp_every) continue;
    struct seen seen = {.seq = seq, .bytes = (uint32_t)bytes, .status = (uint8_t)status};
    seen.kind = RECORD_WAITING;
    record_at(recorder, waiting_ns, seen);
    seen.kind = RECORD_RECEIVED;
    record_at(recorder, received_ns, seen);
    if (!answers) continue;
    seen.kind = RECORD_REPLIED;
    record_now(recorder, seen);
  }
  send_or_end(message_end(), HEADER_BYTES);
}

void responder_verify(const struct settings *settings, struct tally *tally) {
  for (uint32_t seq = 0;; seq++) {
    size_t bytes = (size_t)receive_or_end(incoming, true);
    if (message_is_end(incoming, bytes)) break;
    tally->received++;
    if (!settings->as_published && message_check(incoming, bytes, seq, (uint32_t)bytes, true)) tally->wrong++;
    answer(settings, bytes);
  }
  send_or_end(message_end(), HEADER_BYTES);
}
