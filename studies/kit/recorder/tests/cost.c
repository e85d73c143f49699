// What a record costs: cost FILE ROWS prints ns of CPU a record, and of CPU a read of the clock, which is a part of it.
// FILE must not exist, is on a memory file system, and is left.
#include <stdio.h>
#include <stdlib.h>

#include "recorder.h"

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int count, char **arguments) {
  struct recorder recorder;
  uint64_t rows = count == 3 ? strtoull(arguments[2], NULL, 10) : 0;
  if (!rows || recorder_open(&recorder, arguments[1], rows)) return 2;
  struct seen seen = {.kind = RECORD_SENT, .bytes = 100};
  double begin_ns = cpu_ns();
  for (uint64_t row = 0; row < rows; row++) {
    seen.seq = (uint32_t)row;
    record_now(&recorder, seen);
  }
  double recorded_ns = cpu_ns();
  int64_t last_ns = 0;
  for (uint64_t row = 0; row < rows; row++) last_ns |= now_ns();
  double read_ns = cpu_ns();
  printf("%.2f %.2f\n", (recorded_ns - begin_ns) / (double)rows, (read_ns - recorded_ns) / (double)rows);
  return recorder_close(&recorder) || recorder.lost || !last_ns;
}
