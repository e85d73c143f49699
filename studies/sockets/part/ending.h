// How a part ends when it cannot go on: one sentence on standard error, exit code 2.
#ifndef ENDING_H
#define ENDING_H

__attribute__((noreturn, format(printf, 1, 2))) void end_with(const char *format, ...);

#endif
