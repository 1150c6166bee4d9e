/* The barriers of the PMI server that someone has entered and not all have. Knows nothing of lines
 * or sockets. */
#ifndef PM_BARRIER_H_INCLUDED
#define PM_BARRIER_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

typedef struct PM_barrier {
    struct PM_barrier *next;
    char *name; /* "WORLD:3", "0,2,5:1": the group and its tag */
    const char *tag; /* in name, or NULL */
    int needed, entered;
    unsigned char *place; /* by rank: PM_MEMBER, PM_ENTERED */
} PM_barrier;

enum { PM_MEMBER = 1, PM_ENTERED = 2 };

typedef struct PM_barriers {
    int size; /* ranks of the job */
    int count;
    PM_barrier *first;
} PM_barriers;

#define PM_BARRIERS_MAX 1024 /* outstanding; far more than any client has threads */

/* Rank enters the barrier of this group. Returns it, or NULL: *why says what is wrong with the
 * request. When entered == needed the caller answers all members and calls PM_barrier_done(). */
PM_barrier *PM_barrier_enter(PM_barriers *all, int rank, const char *group, const char **why);
void PM_barrier_done(PM_barriers *all, PM_barrier *barrier);

/* A barrier for which `rank` is still missing, or NULL. */
const PM_barrier *PM_barrier_missing(const PM_barriers *all, int rank);

void PM_barriers_free(PM_barriers *all);

#endif /* PM_BARRIER_H_INCLUDED */
