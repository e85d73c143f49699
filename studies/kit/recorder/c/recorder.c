#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER_BYTES = 256, MAGIC_BYTES = 10 };

// NumPy's format 1.0: magic, version, length of the rest of the header, a Python dictionary, blanks, a line feed.
static void write_header(char *header, uint64_t rows) {
  static const char magic[MAGIC_BYTES] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(HEADER_BYTES - MAGIC_BYTES), 0};
  char text[HEADER_BYTES];
  int length = snprintf(text, sizeof text,
                        "{'descr': [('time_ns', '<i8'), ('seq', '<u4'), ('bytes', '<u4'), ('stream', '<u2'), "
                        "('op', '<u2'), ('kind', '|u1'), ('status', '|u1'), ('spare', '<u2')], "
                        "'fortran_order': False, 'shape': (%llu,), }",
                        (unsigned long long)rows);
  memset(header, ' ', HEADER_BYTES);
  memcpy(header, magic, MAGIC_BYTES);
  memcpy(header + MAGIC_BYTES, text, (size_t)length);
  header[HEADER_BYTES - 1] = '\n';
}

static uint64_t bytes_of(uint64_t rows) { return HEADER_BYTES + rows * sizeof(struct record); }

// A file without rows is of no use to anybody, and fills the memory.
static int give_up(int file, const char *path, int error) {
  close(file);
  unlink(path);
  errno = error;
  return -1;
}

int recorder_open(struct recorder *recorder, const char *path, uint64_t capacity) {
  *recorder = (struct recorder){.capacity = capacity};
  recorder->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (recorder->file < 0) return -1;
  // Allocated, not sparse: a full memory file system is an error now instead of a signal later.
  int error = posix_fallocate(recorder->file, 0, (off_t)bytes_of(capacity));
  if (error) return give_up(recorder->file, path, error);
  int flags = MAP_SHARED | MAP_POPULATE;
  recorder->mapping = mmap(NULL, bytes_of(capacity), PROT_READ | PROT_WRITE, flags, recorder->file, 0);
  if (recorder->mapping == MAP_FAILED) return give_up(recorder->file, path, errno);
  write_header(recorder->mapping, capacity);
  recorder->rows = (struct record *)((char *)recorder->mapping + HEADER_BYTES);
  return 0;
}

int recorder_close(struct recorder *recorder) {
  write_header(recorder->mapping, recorder->count);
  if (munmap(recorder->mapping, bytes_of(recorder->capacity))) return -1;
  if (ftruncate(recorder->file, (off_t)bytes_of(recorder->count))) return -1;
  return close(recorder->file);
}
