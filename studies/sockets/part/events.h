// What a part tells about itself: one JSON object a line, at_ns in nanoseconds since 1970.
#ifndef EVENTS_H
#define EVENTS_H

void events_open(const char *path);

// Write an event; `format` gives the members after at_ns and event, or is empty.
__attribute__((format(printf, 2, 3))) void event(const char *name, const char *format, ...);

#endif
