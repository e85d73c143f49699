#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "phases.h"

static void make_room(struct arrivals *arrivals, uint64_t word) {
  uint64_t words = arrivals->words ? arrivals->words : 1 << 14;
  while (words <= word) words *= 2;
  arrivals->seen = realloc(arrivals->seen, words * sizeof *arrivals->seen);
  if (!arrivals->seen) errx(2, "No memory for what arrived.");
  memset(arrivals->seen + arrivals->words, 0, (words - arrivals->words) * sizeof *arrivals->seen);
  arrivals->words = words;
}

void arrivals_note(struct arrivals *arrivals, uint32_t seq) {
  uint64_t word = seq / 64, bit = UINT64_C(1) << seq % 64;
  if (word >= arrivals->words) make_room(arrivals, word);
  if (arrivals->seen[word] & bit) {
    arrivals->duplicated++;
    return;
  }
  arrivals->seen[word] |= bit;
  arrivals->different++;
  if (seq < arrivals->next) {
    arrivals->out_of_order++;
  } else {
    arrivals->next = seq + 1;
  }
}
