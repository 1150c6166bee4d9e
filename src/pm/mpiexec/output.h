/* What ranks write, to mpiexec's output and error: whole lines where possible, with labels if asked
 * for. */
#ifndef PM_OUTPUT_H_INCLUDED
#define PM_OUTPUT_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#include "loop.h"
#include "mpl.h"
#include "sink.h"

#define PM_TIMER_TAILS 0 /* number of the loop's timer that this module uses */

typedef struct PM_stream {
    int fd, place; /* fd -1: at its end */
    int rank;
    bool is_err;
    bool mid_line; /* the last byte shown was no newline */
    int64_t left; /* bytes still to be taken; < 0: no limit */
    char *tail; /* a line that has not ended yet */
    size_t tail_len;
    struct PM_output *all;
} PM_stream;

typedef struct PM_output {
    PM_loop *loop;
    PM_sink sink[2];
    int n, n_open;
    PM_stream *stream; /* two a rank */
    bool label, hold; /* hold lines back until they are whole */
    bool closing;
    const PM_stream *mid_line_of[2]; /* whose unfinished line ends the sink */
    char *buf;
    void (*done)(void *arg); /* after PM_output_end(): all is written */
    void *arg;
} PM_output;

/* n ranks. False: out of memory. */
bool PM_output_open(PM_output *out, PM_loop *loop, int n, bool label);

/* Read the rank's output (or error) from fd, which becomes ours. */
bool PM_output_add(PM_output *out, int rank, bool is_err, int fd);

/* Take what the rank has written so far, before something is said about it. */
void PM_output_pull(PM_output *out, int rank);

/* A line of mpiexec's own on standard error; "mpiexec: " and the newline are added. */
void PM_output_say(PM_output *out, const char *format, ...) MPL_PRINTF(2, 3);

/* All ranks have ended: take what is in the pipes now, whoever else holds them, write it out and
 * call `done`. */
void PM_output_end(PM_output *out, void (*done)(void *arg), void *arg);

void PM_output_close(PM_output *out);

#endif /* PM_OUTPUT_H_INCLUDED */
