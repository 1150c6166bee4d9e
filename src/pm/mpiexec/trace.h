/* Where a process is: its backtrace by gdb, else by libunwind, else what /proc tells. Bounded, and
 * in a process of its own, so that a debugger that hangs harms nobody. */
#ifndef PM_TRACE_H_INCLUDED
#define PM_TRACE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "loop.h"

#define PM_TIMER_TRACE 2

typedef struct PM_trace {
    PM_loop *loop;
    bool active;
    pid_t helper; /* 0: it has ended and was reaped */
    pid_t pid; /* that is looked at */
    uint64_t deadline;
    bool gdb; /* the helper tries gdb first */
    int shown; /* lines */
    int fd, place;
    size_t len;
    char line[512];
    void (*show)(void *arg, const char *line);
    void (*done)(void *arg);
    void *arg;
} PM_trace;

/* Show the backtrace of pid line by line, then call done. False: no process could be started;
 * nothing is called. */
bool PM_trace_start(PM_trace *trace, pid_t pid, uint64_t deadline);

/* No more lines, and done is not called. */
void PM_trace_cancel(PM_trace *trace);

/* In the helper process: print a backtrace of pid by libunwind. False: it is not there, or cannot.
 */
bool PM_trace_unwind(pid_t pid);

#endif /* PM_TRACE_H_INCLUDED */
