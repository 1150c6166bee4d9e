/* A queue before a descriptor. See sink.h. */
#include "sink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpl.h"

static void die(PM_sink *sink)
{
    sink->dead = true;
    sink->start = sink->end = 0;
    if (sink->place >= 0)
        PM_loop_want(sink->loop, sink->place, 0);
}

/* Write a piece; false if it takes no more at present, or is dead. */
static bool push(PM_sink *sink)
{
    size_t size = MPL_MIN(sink->end - sink->start, sink->piece);
    const char *data = sink->buf + sink->start;
    ssize_t n = sink->is_socket ? send(sink->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                : write(sink->fd, data, size);

    if (n >= 0) {
        sink->start += (size_t) n;
        return true;
    }
    if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
        die(sink);
    return false;
}

static bool is_writable(const PM_sink *sink)
{
    struct pollfd p = { .fd = sink->fd, .events = POLLOUT };

    return poll(&p, 1, 0) > 0;
}

static void on_ready(void *arg, int id, short revents)
{
    PM_sink *sink = arg;
    size_t before = PM_sink_queued(sink);

    (void) id;
    (void) revents;
    /* some pieces at a time, so that ranks and signals are not kept waiting */
    for (int i = 0; i < 64 && PM_sink_queued(sink) && is_writable(sink) && push(sink); i++)
        ;
    if (sink->start == sink->end) {
        sink->start = sink->end = 0;
        PM_loop_want(sink->loop, sink->place, 0);
    }
    if (sink->dead || (before >= PM_SINK_LOW && PM_sink_queued(sink) < PM_SINK_LOW) ||
        PM_sink_queued(sink) == 0)
        sink->changed(sink->arg);
}

void PM_sink_open(PM_sink *sink, PM_loop *loop, int fd)
{
    struct stat st;

    sink->loop = loop;
    sink->fd = fd;
    sink->piece = PIPE_BUF;
    sink->dead = fstat(fd, &st) != 0;
    if (!sink->dead &&
        (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fd))))
        sink->piece = 64u << 10;
    sink->is_socket = !sink->dead && S_ISSOCK(st.st_mode);
    sink->place =
        sink->dead ? -1 : PM_loop_add(loop, fd, 0, (PM_watch) { .fn = on_ready, .arg = sink });
}

static bool reserve(PM_sink *sink, size_t more)
{
    if (sink->start && sink->end + more > sink->max) {
        memmove(sink->buf, sink->buf + sink->start, sink->end - sink->start);
        sink->end -= sink->start;
        sink->start = 0;
    }
    if (sink->end + more <= sink->max)
        return true;
    size_t max = MPL_MAX(sink->end + more, sink->max * 2);
    char *grown = realloc(sink->buf, max);
    if (!grown)
        return false;
    sink->buf = grown;
    sink->max = max;
    return true;
}

void PM_sink_write(PM_sink *sink, const char *data, size_t size)
{
    while (size > 0 && !sink->dead) {
        size_t part = size;
        if (!reserve(sink, part)) {
            part = MPL_MIN(size, sink->max - sink->end);
            if (part == 0) {
                push(sink);
                continue;
            }
        }
        memcpy(sink->buf + sink->end, data, part);
        sink->end += part;
        data += part;
        size -= part;
    }
    if (!sink->dead && sink->end > sink->start)
        PM_loop_want(sink->loop, sink->place, POLLOUT);
}

size_t PM_sink_queued(const PM_sink *sink)
{
    return sink->end - sink->start;
}

void PM_sink_close(PM_sink *sink)
{
    if (sink->place >= 0)
        PM_loop_remove(sink->loop, sink->place);
    sink->place = -1;
    free(sink->buf);
    sink->buf = NULL;
    sink->start = sink->end = sink->max = 0;
    sink->dead = true;
}
