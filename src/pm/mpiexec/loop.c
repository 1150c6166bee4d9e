/* The event loop. See loop.h. */
#include "loop.h"

#include <stdlib.h>

#include "mpl.h"

static bool grow(PM_loop *loop)
{
    int max = loop->max ? loop->max * 2 : 32;
    struct pollfd *fd = realloc(loop->fd, (size_t) max * sizeof(*fd));

    if (!fd)
        return false;
    loop->fd = fd;
    PM_watch *watch = realloc(loop->watch, (size_t) max * sizeof(*watch));
    if (!watch)
        return false;
    loop->watch = watch;
    int *real_fd = realloc(loop->real_fd, (size_t) max * sizeof(*real_fd));
    if (!real_fd)
        return false;
    loop->real_fd = real_fd;
    loop->max = max;
    return true;
}

int PM_loop_add(PM_loop *loop, int fd, short events, PM_watch watch)
{
    int place = loop->free_place;

    while (place < loop->n && loop->watch[place].fn)
        place++;
    if (place == loop->max && !grow(loop))
        return -1;
    loop->free_place = place + 1;
    if (place == loop->n)
        loop->n++;
    loop->watch[place] = watch;
    loop->real_fd[place] = fd;
    PM_loop_want(loop, place, events);
    return place;
}

void PM_loop_want(PM_loop *loop, int place, short events)
{
    /* poll() reports errors of any descriptor that it is given; one that it must not look at has a
     * negative number */
    loop->fd[place] =
        (struct pollfd) { .fd = events ? loop->real_fd[place] : -1, .events = events };
}

void PM_loop_remove(PM_loop *loop, int place)
{
    PM_loop_want(loop, place, 0);
    loop->watch[place].fn = NULL;
    loop->free_place = MPL_MIN(loop->free_place, place);
}

void PM_loop_timer(PM_loop *loop, int i, uint64_t at, PM_time_fn *fn, void *arg)
{
    loop->timer[i] = (PM_timer) { .at = at, .fn = fn, .arg = arg };
}

/* How long poll() may wait for the sake of the timers. */
static int time_left(const PM_loop *loop, int ms)
{
    uint64_t now = MPL_now_ns();

    for (int i = 0; i < PM_TIMERS_MAX; i++) {
        uint64_t at = loop->timer[i].at;
        if (!at)
            continue;
        uint64_t left = at <= now ? 0 : (at - now) / 1000000u + 1;
        if (ms < 0 || left < (uint64_t) ms)
            ms = left > 1000000 ? 1000000 : (int) left;
    }
    return ms;
}

static void run_timers(PM_loop *loop)
{
    uint64_t now = MPL_now_ns();

    for (int i = 0; i < PM_TIMERS_MAX; i++) {
        PM_timer t = loop->timer[i];
        if (t.at && t.at <= now) {
            loop->timer[i].at = 0;
            t.fn(t.arg);
        }
    }
}

void PM_loop_once(PM_loop *loop, int ms)
{
    int ready = poll(loop->fd, (nfds_t) loop->n, time_left(loop, ms));

    for (int i = 0; i < loop->n && ready > 0; i++) {
        short revents = loop->fd[i].revents;
        if (!revents || loop->fd[i].fd < 0)
            continue;
        ready--;
        /* PM_loop_want() of a handler clears those of others that it touches */
        loop->fd[i].revents = 0;
        if (loop->watch[i].fn)
            loop->watch[i].fn(loop->watch[i].arg, loop->watch[i].id, revents);
    }
    run_timers(loop);
}

void PM_loop_run(PM_loop *loop)
{
    while (!loop->stop)
        PM_loop_once(loop, -1);
}

void PM_loop_free(PM_loop *loop)
{
    free(loop->fd);
    free(loop->watch);
    free(loop->real_fd);
    *loop = (PM_loop) { 0 };
}
