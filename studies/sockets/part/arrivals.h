// Which messages of a stream came, how often and in which order; one bit a message.
#ifndef ARRIVALS_H
#define ARRIVALS_H

#include <stdint.h>

struct arrivals {
  uint64_t *seen;
  uint64_t words;
  uint64_t different;
  uint64_t duplicated;
  uint64_t out_of_order;  // came after one with a higher number
  uint32_t next;          // one more than the highest number so far
};

void arrivals_note(struct arrivals *arrivals, uint32_t seq);

#endif
