/* The guard: a small process that kills the ranks' process groups if mpiexec vanishes.
 *
 * Ranks themselves are also told by the kernel (PR_SET_PDEATHSIG, where there is one); the guard
 * covers what they have started, and systems without that. It knows which groups there are from a
 * pipe, whose end tells it that mpiexec is gone.
 */
#ifndef PM_GUARD_H_INCLUDED
#define PM_GUARD_H_INCLUDED

#include <sys/types.h>

typedef struct PM_guard {
    pid_t pid; /* 0: there is none */
    int fd; /* the pipe; -1: none */
} PM_guard;

/* Start it, before anything is opened that it should not hold. 0 or -errno. */
int PM_guard_start(PM_guard *guard);

/* A process group to be watched over (told by its leader, before it becomes another program), or no
 * longer (told by mpiexec, when the group is empty or was killed). */
void PM_guard_add(const PM_guard *guard, pid_t group);
void PM_guard_drop(const PM_guard *guard, pid_t group);

/* All is over: it leaves at once. */
void PM_guard_stop(PM_guard *guard);

#endif /* PM_GUARD_H_INCLUDED */
