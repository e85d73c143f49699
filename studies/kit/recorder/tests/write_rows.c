// Records the rows that it reads on standard input (CSV, a header first); with `endless`, numbers until it is killed.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

static void record_rows(struct recorder *recorder) {
  char line[256];
  int64_t time_ns;
  struct seen seen;
  if (!fgets(line, sizeof line, stdin)) exit(1);
  while (fgets(line, sizeof line, stdin)) {
    int fields = sscanf(line, "%" SCNd64 ",%" SCNu32 ",%" SCNu32 ",%" SCNu16 ",%" SCNu16 ",%" SCNu8 ",%" SCNu8, &time_ns,
                        &seen.seq, &seen.bytes, &seen.stream, &seen.op, &seen.kind, &seen.status);
    if (fields != 7) exit(1);
    record_at(recorder, time_ns, seen);
  }
}

static void record_endlessly(struct recorder *recorder) {
  for (uint32_t seq = 0;; seq++) {
    record_now(recorder, (struct seen){.kind = RECORD_SENT, .seq = seq, .bytes = ~seq});
    if (seq == 1000) {
      puts("recording");
      fflush(stdout);
    }
  }
}

int main(int count, char **arguments) {
  struct recorder recorder;
  if (recorder_open(&recorder, arguments[1], strtoull(arguments[2], NULL, 10))) {
    perror(arguments[1]);
    return 1;
  }
  if (count > 3 && !strcmp(arguments[3], "endless")) record_endlessly(&recorder);
  record_rows(&recorder);
  printf("%" PRIu64 "\n", recorder.lost);
  return recorder_close(&recorder) != 0;
}
