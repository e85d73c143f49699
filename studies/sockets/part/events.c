#include "events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ending.h"

static FILE *file;

void events_open(const char *path) {
  file = fopen(path, "wxe");
  if (!file) end_with("%s: cannot be made: %s.", path, strerror(errno));
  setvbuf(file, NULL, _IOLBF, 0);
}

void event(const char *name, const char *format, ...) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  fprintf(file, "{\"at_ns\": %lld, \"event\": \"%s\"", (long long)now.tv_sec * 1000000000 + now.tv_nsec, name);
  if (*format) fputs(", ", file);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputs("}\n", file);
  if (ferror(file)) end_with("The events could not be written: %s.", strerror(errno));
}
