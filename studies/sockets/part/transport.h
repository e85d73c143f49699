// What a library of the study supplies: one connection, used as a part of the study uses it.
//
// Functions that return int return 0, or -1 with errno; transport_error tells what the library makes of errno.
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "settings.h"

// Listen where a part responds; else connect.
int transport_open(const struct settings *settings);

// Send one message, waiting while the library has no room for it.
int transport_send(const void *message, size_t bytes);

// Receive one message of at most `capacity` bytes, and return its length. -1 with EAGAIN when there is none and `wait`
// is false, or none came to a requester for drain_s; -1 with ECONNRESET when the other side has gone.
ssize_t transport_receive(void *message, size_t capacity, bool wait);

// A descriptor that poll calls readable when a message may be there.
int transport_descriptor(void);

void transport_close(void);

const char *transport_error(int error);
const char *transport_version(void);

// What the responder sends back in the published pattern in the place of an echo; NULL for an echo.
const char *transport_published_answer(void);

#endif
