/* One of mpiexec's own outputs: a queue in front of a descriptor that others may share and that may
 * be slow.
 *
 * Its flags are not ours to change, so it stays blocking: it is written to only when poll() says
 * so, and then no more than a pipe takes at once without blocking.
 */
#ifndef PM_SINK_H_INCLUDED
#define PM_SINK_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "loop.h"

#define PM_SINK_HIGH (256u << 10) /* from here on no more is read from the ranks */
#define PM_SINK_LOW (64u << 10)

typedef struct PM_sink {
    PM_loop *loop;
    int fd, place;
    bool dead; /* nobody reads it any more; what comes is thrown away */
    bool is_socket;
    size_t piece; /* written at once */
    char *buf;
    size_t start, end, max;
    void (*changed)(void *arg); /* emptied below PM_SINK_LOW, or dead */
    void *arg;
} PM_sink;

void PM_sink_open(PM_sink *sink, PM_loop *loop, int fd);

/* Queue bytes; never waits. If there is no memory, waits after all rather than lose something. */
void PM_sink_write(PM_sink *sink, const char *data, size_t size);

/* Bytes queued. */
size_t PM_sink_queued(const PM_sink *sink);

void PM_sink_close(PM_sink *sink);

#endif /* PM_SINK_H_INCLUDED */
