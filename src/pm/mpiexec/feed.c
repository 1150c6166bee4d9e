/* Standard input for the ranks. See feed.h. */
#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpl.h"

/* ns until a job in the background looks whether it is in the foreground now */
#define LOOK_AGAIN 500000000u

static void close_target(PM_feed_target *t)
{
    if (t->fd < 0)
        return;
    PM_loop_remove(t->feed->loop, t->place);
    close(t->fd);
    t->fd = -1;
}

static bool in_background(const PM_feed *feed)
{
    return feed->is_tty && tcgetpgrp(0) != getpgrp();
}

static void look_again(void *arg);

/* Read on as soon as that is allowed. */
static void want_input(PM_feed *feed)
{
    bool wait = in_background(feed);

    if (feed->place < 0)
        return;
    PM_loop_want(feed->loop, feed->place, wait ? 0 : POLLIN);
    if (wait)
        PM_loop_timer(feed->loop, PM_TIMER_FEED, MPL_now_ns() + LOOK_AGAIN, look_again, feed);
}

static void look_again(void *arg)
{
    want_input(arg);
}

static void stop_input(PM_feed *feed)
{
    if (feed->place >= 0)
        PM_loop_remove(feed->loop, feed->place);
    feed->place = -1;
    PM_loop_timer(feed->loop, PM_TIMER_FEED, 0, NULL, NULL);
}

/* Has everyone taken the whole piece? Then the next, or the end. */
static void advance(PM_feed *feed)
{
    bool any = false;

    for (int i = 0; i < feed->n; i++) {
        const PM_feed_target *t = &feed->target[i];
        any |= t->fd >= 0;
        if (t->fd >= 0 && t->taken < feed->len)
            return;
    }
    if (!any) {
        stop_input(feed);
        return;
    }
    feed->len = 0;
    if (!feed->ended) {
        want_input(feed);
        return;
    }
    for (int i = 0; i < feed->n; i++)
        close_target(&feed->target[i]);
}

static void on_target(void *arg, int id, short revents)
{
    PM_feed *feed = arg;
    PM_feed_target *t = &feed->target[id];

    (void) revents;
    ssize_t n = write(t->fd, feed->piece + t->taken, feed->len - t->taken);
    if (n >= 0)
        t->taken += (size_t) n;
    else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
        close_target(t); /* it reads no more */
    if (t->fd >= 0 && t->taken == feed->len)
        PM_loop_want(feed->loop, t->place, 0);
    advance(feed);
}

static void hand_out(PM_feed *feed)
{
    PM_loop_want(feed->loop, feed->place, 0);
    for (int i = 0; i < feed->n; i++) {
        PM_feed_target *t = &feed->target[i];
        t->taken = 0;
        if (t->fd >= 0)
            PM_loop_want(feed->loop, t->place, POLLOUT);
    }
}

static void on_input(void *arg, int id, short revents)
{
    PM_feed *feed = arg;

    (void) id;
    (void) revents;
    if (in_background(feed)) {
        want_input(feed);
        return;
    }
    ssize_t n = read(0, feed->piece, sizeof(feed->piece));
    if (n > 0) {
        feed->len = (size_t) n;
        hand_out(feed);
        return;
    }
    /* EIO: put into the background between the look and the read; on a terminal that is gone it is
     * the end */
    if (n < 0 && (errno == EINTR || errno == EAGAIN || (errno == EIO && in_background(feed)))) {
        want_input(feed);
        return;
    }
    feed->ended = true;
    stop_input(feed);
    advance(feed);
}

bool PM_feed_open(PM_feed *feed, PM_loop *loop, int n)
{
    feed->loop = loop;
    feed->place = -1;
    feed->is_tty = isatty(0);
    feed->ended = false;
    feed->len = 0;
    feed->n = n;
    feed->target = calloc((size_t) n, sizeof(*feed->target));
    for (int i = 0; i < n && feed->target; i++)
        feed->target[i] = (PM_feed_target) { .fd = -1, .feed = feed };
    return feed->target != NULL;
}

bool PM_feed_add(PM_feed *feed, int rank, int fd)
{
    PM_feed_target *t = &feed->target[rank];

    t->place =
        PM_loop_add(feed->loop, fd, 0, (PM_watch) { .fn = on_target, .arg = feed, .id = rank });
    if (t->place < 0) {
        close(fd);
        return false;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    t->fd = fd;
    return true;
}

void PM_feed_start(PM_feed *feed)
{
    feed->place = PM_loop_add(feed->loop, 0, 0, (PM_watch) { .fn = on_input, .arg = feed });
    want_input(feed);
}

void PM_feed_drop(PM_feed *feed, int rank)
{
    if (!feed->target || feed->target[rank].fd < 0)
        return;
    close_target(&feed->target[rank]);
    if (feed->len || feed->place >= 0)
        advance(feed);
}

void PM_feed_close(PM_feed *feed)
{
    if (!feed->target)
        return; /* was never opened */
    for (int i = 0; i < feed->n; i++)
        close_target(&feed->target[i]);
    stop_input(feed);
    free(feed->target);
    feed->target = NULL;
    feed->n = 0;
}
