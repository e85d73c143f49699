// One part of the sockets study, requester or responder by its environment, on the library it is linked with.
//
// It is conducted by lines: verify, warm_up, measure START_NS and stop come on standard input; ready, verified,
// warmed_up, progress OPERATIONS ERRORS and done go out on standard output.
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "message.h"
#include "phases.h"
#include "transport.h"

static FILE *events;

static void events_open(const char *path) {
  events = fopen(path, "wxe");
  if (!events) err(2, "%s: cannot be made", path);
  setvbuf(events, NULL, _IOLBF, 0);
}

// Write an event, one JSON object a line with at_ns in nanoseconds since 1970; `format` gives the other members.
__attribute__((format(printf, 2, 3))) static void event(const char *name, const char *format, ...) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  fprintf(events, "{\"at_ns\": %lld, \"event\": \"%s\", ", (long long)now.tv_sec * 1000000000 + now.tv_nsec, name);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(events, format, arguments);
  va_end(arguments);
  fputs("}\n", events);
  if (ferror(events)) err(2, "The events could not be written");
}

static void say(const char *word) {
  if (puts(word) < 0 || fflush(stdout)) errx(2, "The conductor is gone.");
}

void send_or_end(const void *message, size_t bytes) {
  if (transport_send(message, bytes)) errx(2, "A message could not be sent: %s.", transport_error(errno));
}

ssize_t receive_or_end(void *message, bool wait) {
  ssize_t bytes = transport_receive(message, MOST_BYTES, wait);
  if (bytes < 0 && errno != EAGAIN) errx(2, "A message could not be received: %s.", transport_error(errno));
  return bytes;
}

static void tell_counters(const struct settings *settings, const char *phase, const struct tally *tally,
                          const struct recorder *recorder) {
  const struct arrivals *arrivals = &tally->arrivals;
  event("counters",
        "\"phase\": \"%s\", \"sent\": %" PRIu64 ", \"received\": %" PRIu64 ", \"different\": %" PRIu64
        ", \"duplicated\": %" PRIu64 ", \"out_of_order\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"unanswered\": %" PRIu64
        ", \"timed_out\": %" PRIu64 ", \"lost_records\": %" PRIu64 ", \"stamp_every\": %" PRIu32,
        phase, tally->sent, tally->received, arrivals->different, arrivals->duplicated, arrivals->out_of_order,
        tally->wrong, tally->unanswered, tally->timed_out, recorder ? recorder->lost : 0, settings->stamp_every);
  free(arrivals->seen);
}

static void verify(const struct settings *settings) {
  struct tally tally = {0};
  if (settings->responds) {
    responder_verify(settings, &tally);
  } else {
    requester_verify(settings, &tally);
  }
  tell_counters(settings, "verify", &tally, NULL);
  if (tally.wrong) errx(2, "%" PRIu64 " messages came with another length or other bytes than were sent.", tally.wrong);
  say("verified");
}

static void load(const struct settings *settings, const char *phase, struct recorder *recorder, int64_t start_ns,
                 double duration_s) {
  struct tally tally = {0};
  event("phase", "\"name\": \"%s\", \"edge\": \"begin\"", phase);
  if (settings->responds) {
    responder_serve(settings, recorder, start_ns, &tally);
  } else {
    requester_load(settings, recorder, start_ns, duration_s, &tally);
  }
  event("phase", "\"name\": \"%s\", \"edge\": \"end\"", phase);
  tell_counters(settings, phase, &tally, recorder);
}

static void warm_up(const struct settings *settings) {
  if (!settings->responds) event("own_cost", "\"ns\": %.1f", requester_own_cost_ns(settings));
  if (settings->warmup_s > 0) load(settings, "warm_up", NULL, now_ns(), settings->warmup_s);
  say("warmed_up");
}

static void measure(const struct settings *settings, struct recorder *recorder, const char *start) {
  char *rest;
  int64_t start_ns = strtoll(start, &rest, 10);
  if (rest == start || *rest) errx(2, "'measure %s': expected the nanosecond at which to begin.", start);
  load(settings, "measure", recorder, start_ns, settings->duration_s);
  say("done");
}

// Returns when the conductor says stop, or is gone.
static void obey(const struct settings *settings, struct recorder *recorder) {
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (!strcmp(line, "stop")) return;
    if (!strcmp(line, "verify")) {
      verify(settings);
    } else if (!strcmp(line, "warm_up")) {
      warm_up(settings);
    } else if (!strncmp(line, "measure ", 8)) {
      measure(settings, recorder, line + 8);
    } else {
      errx(2, "The conductor said '%s'; expected verify, warm_up, measure START_NS or stop.", line);
    }
  }
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "versions")) {
    return printf("{\"library\": \"%s\"}\n", transport_version()) < 0;
  }
  if (count != 1) errx(2, "A part takes no arguments but 'versions'; its environment says what it is to do.");
  struct settings settings = read_settings();
  struct recorder recorder;
  prctl(PR_SET_TIMERSLACK, 1UL);  // messages are sent when due: the usual 50 us is half a round trip
  message_prepare();
  events_open(settings.events_file);
  if (recorder_open(&recorder, settings.records_file, settings.records_capacity)) {
    err(2, "%s: room for %" PRIu64 " records cannot be made", settings.records_file, settings.records_capacity);
  }
  event("started", "\"pid\": %d, \"version\": \"%s\"", getpid(), transport_version());
  if (transport_open(&settings)) {
    errx(2, "%s:%u cannot be %s: %s.", settings.host, settings.port, settings.responds ? "listened at" : "reached",
             transport_error(errno));
  }
  say("ready");
  obey(&settings, &recorder);
  transport_close();
  if (recorder_close(&recorder)) err(2, "%s: cannot be finished", settings.records_file);
  event("ended", "\"lost_records\": %" PRIu64, recorder.lost);
  return 0;
}
