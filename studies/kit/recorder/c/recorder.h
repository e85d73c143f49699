// Records what a part of a measured system sees: 24-byte rows in a NumPy file on a memory file system.
//
// One clock read and one store a record; no system call, no lock, no allocation. One recorder a thread.
#ifndef RECORDER_H
#define RECORDER_H

#include <stdint.h>
#include <time.h>

enum record_kind {
  RECORD_DUE = 1,       // when an operation should have begun
  RECORD_SENT = 2,      // before the sending call
  RECORD_ACCEPTED = 3,  // the sending call came back, or the system confirmed
  RECORD_RECEIVED = 4,  // the receiving call came back
  RECORD_ANSWERED = 5,  // the operation is complete
  RECORD_REPLIED = 6,   // the answering call came back
  RECORD_WAITING = 7,   // before the receiving call
};

enum record_status {
  RECORD_GOOD = 0,
  RECORD_WRONG_BYTES = 1,
  RECORD_WRONG_LENGTH = 2,
  RECORD_REFUSED = 3,
  RECORD_TIMED_OUT = 4,
};

// A row as it lies in the file; `kind` is 0 in a row that was never written.
struct record {
  int64_t time_ns;  // CLOCK_MONOTONIC
  uint32_t seq;
  uint32_t bytes;
  uint16_t stream;
  uint16_t op;
  uint8_t kind;
  uint8_t status;
  uint16_t spare;
};
_Static_assert(sizeof(struct record) == 24, "a record has 24 bytes");

struct recorder {
  struct record *rows;
  uint64_t capacity;
  uint64_t count;
  uint64_t lost;  // rows that found the file full
  void *mapping;
  int file;
};

// What is recorded beside its time.
struct seen {
  uint8_t kind;
  uint8_t status;
  uint16_t stream;
  uint16_t op;
  uint32_t seq;
  uint32_t bytes;
};

// Make the file with room for `capacity` rows, all of them touched. Returns 0, or -1 with errno.
int recorder_open(struct recorder *recorder, const char *path, uint64_t capacity);

// Write the true number of rows into the header and cut the file. Returns 0, or -1 with errno.
int recorder_close(struct recorder *recorder);

static inline int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Record something at a time that was read already.
static inline void record_at(struct recorder *recorder, int64_t time_ns, struct seen seen) {
  if (recorder->count == recorder->capacity) {
    recorder->lost++;
    return;
  }
  struct record *row = &recorder->rows[recorder->count++];
  row->time_ns = time_ns;
  row->seq = seen.seq;
  row->bytes = seen.bytes;
  row->stream = seen.stream;
  row->op = seen.op;
  row->status = seen.status;
  row->spare = 0;
  // The kind is stored last: a process that is killed in between leaves a row that counts as not written.
  __atomic_store_n(&row->kind, seen.kind, __ATOMIC_RELEASE);
}

// Record something now; returns the time.
static inline int64_t record_now(struct recorder *recorder, struct seen seen) {
  int64_t time_ns = now_ns();
  record_at(recorder, time_ns, seen);
  return time_ns;
}

#endif
