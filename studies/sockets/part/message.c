#include "message.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>


enum { KIND_OFFSET = 6, LENGTH_OFFSET = 8, EDGE_BYTES = 16, END = 1 };

static unsigned char *pattern;  // never written after message_prepare
static unsigned char *outgoing;

void message_prepare(void) {
  pattern = malloc(MOST_BYTES);
  outgoing = malloc(MOST_BYTES);
  if (!pattern || !outgoing) errx(2, "No memory for messages.");
  for (uint32_t i = 0; i < MOST_BYTES; i++) pattern[i] = (unsigned char)(i * 2654435761u >> 24);
  memcpy(outgoing, pattern, MOST_BYTES);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void write_header(unsigned char *header, uint32_t seq, uint32_t bytes) {
  memset(header, 0, HEADER_BYTES);  // stream 0, a message
  memcpy(header, &seq, sizeof seq);
  memcpy(header + LENGTH_OFFSET, &bytes, sizeof bytes);
}

const void *message_filled(uint32_t seq, uint32_t bytes) {
  write_header(outgoing, seq, bytes);
  return outgoing;
}

const void *message_end(void) {
  static unsigned char end[HEADER_BYTES];
  write_header(end, 0, HEADER_BYTES);
  end[KIND_OFFSET] = END;
  return end;
}

bool message_is_end(const void *message, size_t bytes) {
  return bytes == HEADER_BYTES && ((const unsigned char *)message)[KIND_OFFSET] == END;
}

uint32_t message_seq(const void *message, size_t bytes, uint32_t expected) {
  uint32_t seq = expected;
  memcpy(&seq, message, smaller(bytes, sizeof seq));
  return seq;
}

enum record_status message_check(const void *message, size_t bytes, uint32_t seq, uint32_t expected_bytes, bool whole) {
  const unsigned char *got = message;
  if (bytes != expected_bytes) return RECORD_WRONG_LENGTH;
  unsigned char header[HEADER_BYTES];
  write_header(header, seq, expected_bytes);
  if (memcmp(got, header, smaller(bytes, HEADER_BYTES))) return RECORD_WRONG_BYTES;
  if (bytes <= HEADER_BYTES) return RECORD_GOOD;
  size_t head = whole ? bytes : smaller(bytes, EDGE_BYTES);
  if (memcmp(got + HEADER_BYTES, pattern + HEADER_BYTES, head - HEADER_BYTES)) return RECORD_WRONG_BYTES;
  size_t tail = smaller(bytes - HEADER_BYTES, EDGE_BYTES);
  return memcmp(got + bytes - tail, pattern + bytes - tail, tail) ? RECORD_WRONG_BYTES : RECORD_GOOD;
}
