// Message i of a stream: a header (seq, stream, kind, length), then a fixed pattern; cut where the message is shorter.
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder.h"

enum { HEADER_BYTES = 12, MOST_BYTES = 1 << 20 };

// Make the buffers that the functions below use; once, before them.
void message_prepare(void);

// Return message `seq` of `bytes` bytes; valid until the next call.
const void *message_filled(uint32_t seq, uint32_t bytes);

// Return the message that ends a phase, of HEADER_BYTES bytes.
const void *message_end(void);
bool message_is_end(const void *message, size_t bytes);

// Return the number in a message's header; of a message too short to hold one the lowest bytes come from it, the others
// from `expected`.
uint32_t message_seq(const void *message, size_t bytes, uint32_t expected);

// Hold a message to what it should be: length, header, and the first and last 16 bytes; all bytes where `whole`.
enum record_status message_check(const void *message, size_t bytes, uint32_t seq, uint32_t expected_bytes, bool whole);

#endif
