#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "phases.h"
#include "transport.h"

enum { WHOLE_EVERY = 1000, FARTHEST_AHEAD = 10000000 };

static unsigned char incoming[MOST_BYTES];

// Hold a message to what it should be, and note its number.
static enum record_status take(const struct settings *settings, size_t bytes, uint32_t seq, struct tally *tally) {
  uint32_t expected = tally->arrivals.next;
  enum record_status status = RECORD_GOOD;
  tally->received++;
  if (!settings->as_published) {
    status = message_check(incoming, bytes, seq, settings->message_bytes, seq % WHOLE_EVERY == 0);
    if (seq > expected && seq - expected > FARTHEST_AHEAD) status = RECORD_WRONG_BYTES;
  }
  if (status == RECORD_GOOD) {
    arrivals_note(&tally->arrivals, seq);
  } else {
    tally->wrong++;
  }
  return status;
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
    uint32_t expected = tally->arrivals.next;
    int64_t waiting_ns = is_stamped(settings, expected) ? now_ns() : 0;
    size_t bytes = (size_t)receive_or_end(incoming, true);
    if (message_is_end(incoming, bytes)) break;
    // Of a stream read as it comes, a piece has no number of its own.
    uint32_t seq = settings->as_published ? expected : message_seq(incoming, bytes, expected);
    bool stamped = is_stamped(settings, seq);
    int64_t received_ns = stamped ? now_ns() : 0;
    enum record_status status = take(settings, bytes, seq, tally);
    if (answers) answer(settings, bytes);
    if (!recorder || !stamped) continue;
    struct seen seen = {.seq = seq, .bytes = (uint32_t)bytes, .status = (uint8_t)status};
    seen.kind = RECORD_WAITING;
    if (waiting_ns) record_at(recorder, waiting_ns, seen);
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
