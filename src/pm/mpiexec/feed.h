/* Standard input for the ranks, where they cannot simply have mpiexec's own: it is a terminal, or
 * all are to get it.
 *
 * From a terminal it reads only while mpiexec is in the foreground, so a job in the background is
 * never stopped.
 */
#ifndef PM_FEED_H_INCLUDED
#define PM_FEED_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "loop.h"

#define PM_TIMER_FEED 1

typedef struct PM_feed_target {
    int fd, place; /* fd -1: takes no more */
    size_t taken; /* of the piece that is being handed out */
    struct PM_feed *feed;
} PM_feed_target;

typedef struct PM_feed {
    PM_loop *loop;
    int place; /* of descriptor 0; -1: not read */
    bool is_tty, ended;
    int n; /* ranks */
    PM_feed_target *target;
    size_t len;
    char piece[16384];
} PM_feed;

/* False: out of memory. */
bool PM_feed_open(PM_feed *feed, PM_loop *loop, int n);

/* The rank reads from the other end of fd, which becomes ours. */
bool PM_feed_add(PM_feed *feed, int rank, int fd);

/* Start reading, when all are there. */
void PM_feed_start(PM_feed *feed);

/* The rank has ended. */
void PM_feed_drop(PM_feed *feed, int rank);

void PM_feed_close(PM_feed *feed);

#endif /* PM_FEED_H_INCLUDED */
