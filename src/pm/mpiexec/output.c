/* Output of the ranks. See output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define READ_SIZE (64u << 10)
#define TAIL_MAX (32u << 10) /* a longer line is shown in parts */
#define TAIL_WAIT 100000000u /* ns that an unfinished line (a prompt) is held back */

/* ---- showing --------------------------------------------------------------------------------- */

static void emit(PM_stream *s, const char *data, size_t size)
{
    PM_output *out = s->all;
    PM_sink *sink = &out->sink[s->is_err];

    if (size == 0)
        return;
    PM_sink_write(sink, data, size);
    s->mid_line = data[size - 1] != '\n';
    out->mid_line_of[s->is_err] = s->mid_line ? s : NULL;
}

static void emit_label(PM_stream *s)
{
    char label[24];
    int n = snprintf(label, sizeof(label), "[%d] ", s->rank);

    PM_sink_write(&s->all->sink[s->is_err], label, (size_t) n);
}

/* Lines, the last of which may be unfinished, each with its label. */
static void emit_labelled(PM_stream *s, const char *data, size_t size)
{
    const PM_stream *before = s->all->mid_line_of[s->is_err];

    if (before && before != s)
        PM_sink_write(&s->all->sink[s->is_err], "\n", 1);
    if (before != s)
        s->mid_line = false;
    while (size > 0) {
        const char *newline = memchr(data, '\n', size);
        size_t n = newline ? (size_t) (newline - data) + 1 : size;
        if (!s->mid_line)
            emit_label(s);
        emit(s, data, n);
        data += n;
        size -= n;
    }
}

static void show(PM_stream *s, const char *data, size_t size)
{
    if (size == 0)
        return;
    if (s->all->label)
        emit_labelled(s, data, size);
    else
        emit(s, data, size);
}

static void show_tail(PM_stream *s)
{
    show(s, s->tail, s->tail_len);
    s->tail_len = 0;
}

static void show_all_tails(void *arg)
{
    PM_output *out = arg;

    for (int i = 0; i < out->n; i++)
        show_tail(&out->stream[i]);
}

/* Keep the unfinished end of what came. */
static void keep_tail(PM_stream *s, const char *data, size_t size)
{
    PM_output *out = s->all;

    if (!s->tail)
        s->tail = malloc(TAIL_MAX);
    if (!s->tail || s->tail_len + size > TAIL_MAX) {
        show_tail(s);
        show(s, data, size);
        return;
    }
    memcpy(s->tail + s->tail_len, data, size);
    s->tail_len += size;
    if (size > 0 && !out->loop->timer[PM_TIMER_TAILS].at)
        PM_loop_timer(out->loop, PM_TIMER_TAILS, MPL_now_ns() + TAIL_WAIT, show_all_tails, out);
}

/* What of the data is whole lines. (memrchr() is not everywhere.) */
static size_t whole_lines(const char *data, size_t size)
{
    while (size > 0 && data[size - 1] != '\n')
        size--;
    return size;
}

static void take(PM_stream *s, const char *data, size_t size)
{
    if (!s->all->hold) {
        show(s, data, size);
        return;
    }
    size_t whole = whole_lines(data, size);
    if (whole) {
        show_tail(s);
        show(s, data, whole);
    }
    keep_tail(s, data + whole, size - whole);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void check_done(PM_output *out)
{
    if (out->closing && out->n_open == 0 && PM_sink_queued(&out->sink[0]) == 0 &&
        PM_sink_queued(&out->sink[1]) == 0) {
        out->closing = false;
        out->done(out->arg);
    }
}

static void close_stream(PM_stream *s)
{
    show_tail(s);
    PM_loop_remove(s->all->loop, s->place);
    close(s->fd);
    s->fd = -1;
    s->all->n_open--;
}

/* Read once; false if there is nothing more for now, or ever. */
static bool read_stream(PM_stream *s)
{
    size_t size = s->left < 0 ? READ_SIZE : MPL_MIN((size_t) s->left, READ_SIZE);
    ssize_t n = size ? read(s->fd, s->all->buf, size) : 0;

    if (n > 0) {
        take(s, s->all->buf, (size_t) n);
        if (s->left >= 0)
            s->left -= n;
        if (s->left != 0)
            return true;
        close_stream(s);
        return false;
    }
    if (n < 0 && errno == EINTR)
        return true;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) || s->left >= 0)
        close_stream(s);
    return false;
}

/* Read from all streams of a sink, or from none while it is full. */
static void regulate(PM_output *out, int which)
{
    PM_sink *sink = &out->sink[which];
    bool full = PM_sink_queued(sink) >= PM_SINK_HIGH;

    for (int i = which; i < out->n; i += 2) {
        PM_stream *s = &out->stream[i];
        if (s->fd >= 0 && sink->dead)
            close_stream(s); /* so that the rank learns of it as it would without us: SIGPIPE */
        else if (s->fd >= 0)
            PM_loop_want(out->loop, s->place, full ? 0 : POLLIN);
    }
}

static void on_stream(void *arg, int id, short revents)
{
    PM_output *out = arg;
    PM_stream *s = &out->stream[id];

    (void) revents;
    read_stream(s);
    if (PM_sink_queued(&out->sink[s->is_err]) >= PM_SINK_HIGH)
        regulate(out, s->is_err);
    check_done(out);
}

static void on_sink_changed(void *arg)
{
    PM_output *out = arg;

    for (int which = 0; which < 2; which++) {
        if (out->sink[which].dead || PM_sink_queued(&out->sink[which]) < PM_SINK_LOW)
            regulate(out, which);
    }
    check_done(out);
}

/* ---- the interface --------------------------------------------------------------------------- */

bool PM_output_open(PM_output *out, PM_loop *loop, int n, bool label)
{
    *out = (PM_output) { .loop = loop, .n = 2 * n, .label = label, .hold = label || n > 1 };
    out->stream = calloc((size_t) out->n, sizeof(*out->stream));
    out->buf = malloc(READ_SIZE);
    if (!out->stream || !out->buf)
        return false;
    for (int i = 0; i < out->n; i++)
        out->stream[i] =
            (PM_stream) { .fd = -1, .rank = i / 2, .is_err = i % 2, .left = -1, .all = out };
    for (int which = 0; which < 2; which++) {
        out->sink[which].changed = on_sink_changed;
        out->sink[which].arg = out;
        PM_sink_open(&out->sink[which], loop, which + 1);
    }
    return true;
}

bool PM_output_add(PM_output *out, int rank, bool is_err, int fd)
{
    PM_stream *s = &out->stream[2 * rank + is_err];
    int place = PM_loop_add(out->loop, fd, POLLIN,
                            (PM_watch) { .fn = on_stream, .arg = out, .id = 2 * rank + is_err });

    if (place < 0) {
        close(fd);
        return false;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    s->fd = fd;
    s->place = place;
    out->n_open++;
    if (out->sink[is_err].dead)
        close_stream(s);
    return true;
}

void PM_output_pull(PM_output *out, int rank)
{
    for (int i = 0; i < 2; i++) {
        PM_stream *s = &out->stream[2 * rank + i];
        /* at most a pipe's worth each, however fast the next writer is */
        for (int k = 0; k < 16 && s->fd >= 0 && PM_sink_queued(&out->sink[i]) < 4 * PM_SINK_HIGH &&
                        read_stream(s);
             k++)
            ;
    }
}

void PM_output_say(PM_output *out, const char *format, ...)
{
    char line[2048] = "mpiexec: ";
    va_list args;

    va_start(args, format);
    int n = 9 + vsnprintf(line + 9, sizeof(line) - 10, format, args);
    va_end(args);
    n = MPL_MIN(n, (int) sizeof(line) - 2);
    line[n++] = '\n';
    if (out->mid_line_of[1])
        PM_sink_write(&out->sink[1], "\n", 1);
    out->mid_line_of[1] = NULL;
    PM_sink_write(&out->sink[1], line, (size_t) n);
}

void PM_output_end(PM_output *out, void (*done)(void *arg), void *arg)
{
    out->closing = true;
    out->done = done;
    out->arg = arg;
    for (int i = 0; i < out->n; i++) {
        PM_stream *s = &out->stream[i];
        int there = 0;
        if (s->fd < 0)
            continue;
        if (ioctl(s->fd, FIONREAD, &there) != 0 || there <= 0)
            close_stream(s);
        else
            /* what others who hold the pipe write from now on is not of this job */
            s->left = there;
    }
    check_done(out);
}

void PM_output_close(PM_output *out)
{
    for (int i = 0; i < out->n && out->stream; i++) {
        if (out->stream[i].fd >= 0)
            close_stream(&out->stream[i]);
        free(out->stream[i].tail);
    }
    PM_sink_close(&out->sink[0]);
    PM_sink_close(&out->sink[1]);
    free(out->stream);
    free(out->buf);
    *out = (PM_output) { 0 };
}
