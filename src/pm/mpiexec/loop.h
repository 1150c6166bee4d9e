/* The event loop: calls a function when a descriptor is ready or a time has come. One poll(), no
 * thread. */
#ifndef PM_LOOP_H_INCLUDED
#define PM_LOOP_H_INCLUDED

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

typedef void PM_ready_fn(void *arg, int id, short revents);
typedef void PM_time_fn(void *arg);

#define PM_TIMERS_MAX 8

typedef struct PM_timer {
    uint64_t at; /* of MPL_now_ns(); 0: not set */
    PM_time_fn *fn;
    void *arg;
} PM_timer;

typedef struct PM_watch {
    PM_ready_fn *fn; /* NULL: the place is free */
    void *arg;
    int id; /* handed to fn: a rank */
} PM_watch;

typedef struct PM_loop {
    int n, max;
    struct pollfd *fd; /* events 0 and fd -1: not watched at present */
    PM_watch *watch;
    int *real_fd;
    int free_place; /* no free place lies before it */
    PM_timer timer[PM_TIMERS_MAX];
    bool stop;
} PM_loop;

/* Watch fd for events; returns its place for the calls below, -1: out of memory. */
int PM_loop_add(PM_loop *loop, int fd, short events, PM_watch watch);

/* Change what is watched for; 0: nothing, not even errors. */
void PM_loop_want(PM_loop *loop, int place, short events);

/* The descriptor will be closed. */
void PM_loop_remove(PM_loop *loop, int place);

/* Set timer number i to go off at a time (0: not at all). It is cleared before its function is
 * called. */
void PM_loop_timer(PM_loop *loop, int i, uint64_t at, PM_time_fn *fn, void *arg);

/* Until loop->stop. */
void PM_loop_run(PM_loop *loop);

/* One round; waits at most ms (-1: until something happens). */
void PM_loop_once(PM_loop *loop, int ms);

void PM_loop_free(PM_loop *loop);

#endif /* PM_LOOP_H_INCLUDED */
