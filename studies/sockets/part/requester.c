#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "phases.h"
#include "transport.h"

enum { WHOLE_EVERY = 1000, LOOK_EVERY = 10, SECOND_NS = 1000000000, OWN_OPERATIONS = 100000, OWN_TRIES = 5 };

// Every size at which a header, a page, a length field or a buffer ends, and its neighbours.
static const uint32_t SIZES[] = {0,     1,     2,     11,     12,     13,     100,     127,    128,        255,
                                 256,   1023,  1024,  4095,   4096,   4097,   10240,   65535,  65536,      65537,
                                 99999, 100000, 102400, 262144, 524288, 1048575, 1 << 20};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

static unsigned char incoming[MOST_BYTES];

// End a phase on both sides; what is still under way comes before the other side's end.
static void end_phase(void) {
  send_or_end(message_end(), HEADER_BYTES);
  for (;;) {
    ssize_t bytes = receive_or_end(incoming, true);
    if (bytes < 0) errx(2, "The responder did not end the phase.");
    if (message_is_end(incoming, (size_t)bytes)) return;
  }
}

// A load as it goes on.
struct course {
  const struct settings *settings;
  struct recorder *recorder;
  struct tally *tally;
  int64_t start_ns;
  int64_t end_ns;
  int64_t next_progress_ns;
  uint32_t seq;       // of the next message
  uint32_t answered;  // answers so far
};

void sleep_until_ns(int64_t time_ns) {
  struct timespec when = {.tv_sec = time_ns / SECOND_NS, .tv_nsec = time_ns % SECOND_NS};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR) {
  }
}

static void tell_progress(struct course *course, int64_t at_ns) {
  if (at_ns < course->next_progress_ns) return;
  course->next_progress_ns = at_ns + SECOND_NS;
  printf("progress %" PRIu64 " %" PRIu64 "\n", course->tally->received, course->tally->wrong);
  if (fflush(stdout)) errx(2, "The conductor is gone.");
}

static void stamp(struct course *course, int64_t at_ns, struct seen seen) {
  if (course->recorder && is_stamped(course->settings, seen.seq)) record_at(course->recorder, at_ns, seen);
}

static void send_next(struct course *course, int64_t due_ns) {
  struct seen seen = {.seq = course->seq, .bytes = course->settings->message_bytes};
  const void *message = message_filled(seen.seq, seen.bytes);
  if (due_ns) {
    seen.kind = RECORD_DUE;
    stamp(course, due_ns, seen);
  }
  seen.kind = RECORD_SENT;
  if (is_stamped(course->settings, seen.seq)) stamp(course, now_ns(), seen);
  send_or_end(message, seen.bytes);
  course->seq++;
  course->tally->sent++;
}

// Take one answer; returns its time, or 0 where there is none.
static int64_t take_answer(struct course *course, bool wait) {
  ssize_t bytes = receive_or_end(incoming, wait);
  if (bytes < 0) return 0;
  int64_t at_ns = now_ns();
  struct seen seen = {.kind = RECORD_ANSWERED, .seq = course->answered, .bytes = (uint32_t)bytes};
  if (!course->settings->as_published) {
    seen.seq = message_seq(incoming, (size_t)bytes, course->answered);
    bool whole = seen.seq % WHOLE_EVERY == 0;
    seen.status = message_check(incoming, (size_t)bytes, seen.seq, course->settings->message_bytes, whole);
    // Which of several messages a wrong number stands for cannot be known; it counts for the one that is due.
    if (seen.seq >= course->seq) {
      seen.status = RECORD_WRONG_BYTES;
      seen.seq = course->answered;
    }
  }
  course->answered++;
  stamp(course, at_ns, seen);
  course->tally->received++;
  if (seen.status) {
    course->tally->wrong++;
  } else {
    arrivals_note(&course->tally->arrivals, seen.seq);
  }
  return at_ns;
}

// Wait for one answer, which may fail to come; returns the time.
static int64_t await_answer(struct course *course) {
  int64_t at_ns = take_answer(course, true);
  if (at_ns) return at_ns;
  at_ns = now_ns();
  course->tally->timed_out++;
  struct seen seen = {.kind = RECORD_ANSWERED, .status = RECORD_TIMED_OUT, .seq = course->answered++};
  stamp(course, at_ns, seen);
  return at_ns;
}

static void ping_pong(struct course *course) {
  for (int64_t now = course->start_ns; now < course->end_ns; tell_progress(course, now)) {
    send_next(course, 0);
    now = await_answer(course);
  }
}

static void paced(struct course *course) {
  double gap_ns = SECOND_NS / course->settings->rate_per_s;
  for (uint32_t i = 1;; i++) {
    int64_t due_ns = course->start_ns + llround(i * gap_ns);
    if (due_ns > course->end_ns) return;
    sleep_until_ns(due_ns);
    send_next(course, due_ns);
    tell_progress(course, await_answer(course));
  }
}

// Wait until an answer may be there, at most until `until_ns`.
static void wait_for_answers(int64_t until_ns) {
  int64_t left_ns = until_ns - now_ns();
  if (left_ns <= 0) return;
  struct pollfd awaited = {.fd = transport_descriptor(), .events = POLLIN};
  struct timespec timeout = {.tv_sec = left_ns / SECOND_NS, .tv_nsec = left_ns % SECOND_NS};
  if (ppoll(&awaited, 1, &timeout, NULL) < 0 && errno != EINTR) err(2, "poll failed");
}

// How many messages have no answer yet, right or wrong.
static uint64_t outstanding(const struct course *course) {
  uint64_t ended = course->tally->arrivals.different + course->tally->wrong;
  return ended < course->seq ? course->seq - ended : 0;
}

static void take_answers_until(struct course *course, int64_t until_ns) {
  do {
    while (outstanding(course) && take_answer(course, false)) {
    }
    if (!outstanding(course)) {
      sleep_until_ns(until_ns);
      return;
    }
    wait_for_answers(until_ns);
  } while (now_ns() < until_ns);
}

// xorshift64* (Vigna 2016), of which the upper 53 bits are taken.
double uniform(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * UINT64_C(2685821657736338717) >> 11) + 1) * 0x1p-53;
}

// Poisson arrivals: messages are sent when they are due, whether or not earlier ones are answered.
static void open_loop(struct course *course) {
  uint64_t state = course->settings->seed * UINT64_C(2862933555777941757) + 3037000493;
  double gap_ns = SECOND_NS / course->settings->rate_per_s, due_ns = (double)course->start_ns;
  for (;;) {
    due_ns -= log(uniform(&state)) * gap_ns;
    if (due_ns >= (double)course->end_ns) return;
    take_answers_until(course, (int64_t)due_ns);
    send_next(course, (int64_t)due_ns);
    tell_progress(course, now_ns());
  }
}

static void saturate(struct course *course) {
  for (int64_t now = course->start_ns; now < course->end_ns;) {
    send_next(course, 0);
    if (course->seq % LOOK_EVERY) continue;  // the clock costs more than filling a message
    now = now_ns();
    tell_progress(course, now);
  }
}

// Take what is still to come, at most for drain_s; then end the phase on both sides.
static void drain(struct course *course) {
  bool answered = course->settings->loop != SATURATE || course->settings->as_published;
  int64_t until_ns = now_ns() + (int64_t)(course->settings->drain_s * SECOND_NS);
  while (answered && outstanding(course) && now_ns() < until_ns) {
    if (!take_answer(course, false)) wait_for_answers(until_ns);
  }
  course->tally->unanswered = answered ? outstanding(course) : 0;
  end_phase();
}

void requester_load(const struct settings *settings, struct recorder *recorder, int64_t start_ns, double duration_s,
                    struct tally *tally) {
  static void (*const LOOPS[])(struct course *) = {
      [PACED] = paced, [PING_PONG] = ping_pong, [OPEN] = open_loop, [SATURATE] = saturate};
  struct course course = {.settings = settings, .recorder = recorder, .tally = tally, .start_ns = start_ns};
  course.end_ns = start_ns + (int64_t)(duration_s * SECOND_NS);
  course.next_progress_ns = start_ns + SECOND_NS;
  sleep_until_ns(start_ns);
  // As published a library that answers each message waits for it, however fast it is asked to go.
  LOOPS[settings->as_published && settings->loop == SATURATE ? PING_PONG : settings->loop](&course);
  drain(&course);
}

void requester_verify(const struct settings *settings, struct tally *tally) {
  for (uint32_t seq = 0; seq < SIZE_COUNT; seq++) {
    uint32_t size = settings->as_published ? settings->message_bytes : SIZES[seq];
    send_or_end(message_filled(seq, size), size);
    tally->sent++;
    ssize_t bytes = receive_or_end(incoming, true);
    if (bytes < 0) errx(2, "A message of %" PRIu32 " bytes was not answered.", size);
    tally->received++;
    const char *answer = settings->as_published ? transport_published_answer() : NULL;
    bool right = answer ? !memcmp(incoming, answer, strlen(answer))
                        : message_check(incoming, (size_t)bytes, seq, size, true) == RECORD_GOOD;
    if (!right) tally->wrong++;
  }
  end_phase();
}

static double own_cost_once_ns(const struct settings *settings, struct recorder *recorder) {
  uint64_t wrong = 0;
  recorder->count = 0;
  int64_t begin_ns = now_ns();
  for (uint32_t seq = 0; seq < OWN_OPERATIONS; seq++) {
    struct seen seen = {.kind = RECORD_SENT, .seq = seq, .bytes = settings->message_bytes};
    const void *message = message_filled(seq, seen.bytes);
    bool stamped = is_stamped(settings, seq);
    if (stamped) record_now(recorder, seen);
    bool whole = seq % WHOLE_EVERY == 0;
    seen.status = message_check(message, seen.bytes, message_seq(message, seen.bytes, seq), seen.bytes, whole);
    seen.kind = RECORD_ANSWERED;
    if (stamped) record_now(recorder, seen);
    wrong += seen.status;
  }
  if (wrong) errx(2, "The part's own check refused its own messages.");
  return (double)(now_ns() - begin_ns) / OWN_OPERATIONS;
}

double requester_own_cost_ns(const struct settings *settings) {
  struct record *rows = calloc(OWN_OPERATIONS, 2 * sizeof *rows);
  if (!rows) errx(2, "No memory for %d records.", OWN_OPERATIONS);
  struct recorder recorder = {.rows = rows, .capacity = 2 * OWN_OPERATIONS};
  double least_ns = own_cost_once_ns(settings, &recorder);
  for (int i = 1; i < OWN_TRIES; i++) least_ns = fmin(least_ns, own_cost_once_ns(settings, &recorder));
  free(rows);
  return least_ns;
}
