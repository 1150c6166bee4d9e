/* What the MPI layer knows about this process: written by src/mpi/init, read by everyone.
 *
 * Glossary
 *   process     from exec to exit: "the root" that outlives every epoch
 *   epoch       from the first init (of the world or a session) to the last finalize; counted locally and
 *               never told to another process
 *   users       what holds the epoch open: the world (0 or 1) and the open sessions
 *   suspended   between epochs, the MPI layer torn down, the device asleep and keeping its connections
 *   deferred    between epochs, everything kept (MPIR_CVAR_FINALIZE_ATEXIT)
 *   card        what a process publishes so that peers can reach it
 *   inbox       the part of the node's shared memory that one process receives in
 *   ring        the single-producer single-consumer queue of one pair of processes, in the receiver's inbox
 *   peer        another process, as the device sees it; named by its world rank
 *   context id  the 64-bit name of a communicator, unique for the life of the process
 */
#ifndef MPIR_PROCESS_H_INCLUDED
#define MPIR_PROCESS_H_INCLUDED

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpl.h"

typedef enum MPIR_State {
    MPIR_STATE_COLD,
    MPIR_STATE_ACTIVE,
    MPIR_STATE_SUSPENDED,
    MPIR_STATE_DEFERRED,
    MPIR_STATE_CLOSED,
} MPIR_State;

typedef enum MPIR_World_state {
    MPIR_WORLD_NOT_YET,
    MPIR_WORLD_ACTIVE,
    MPIR_WORLD_FINALIZED,
} MPIR_World_state;

/* Lives with the process. */
typedef struct MPIR_Process_t {
    _Atomic int state; /* MPIR_State; src/mpi/init alone writes it */
    _Atomic int world; /* MPIR_World_state, what MPI_Initialized and MPI_Finalized say */
    _Atomic int users; /* world and open sessions; 0 outside of an epoch */
    _Atomic bool threaded; /* several threads may be in MPI at once: bindings take the lock */
    _Atomic uint32_t inside; /* calls that went in without the lock, by the one thread that may */
    _Atomic uintptr_t insider; /* that thread, while `inside` is not 0 */
    int rank; /* in the job, known after the first init; 0 before */
    int size; /* of the job; 1 before */
    int appnum; /* -1: unknown */
    int universe_size; /* -1: unknown */
    int local_rank, local_size; /* among the job's processes on this node */
    bool crowded; /* all of the job is on this node, with more ranks than the machine has cores: all ranks agree on this */
    int node_leader; /* the lowest world rank on this node; control variables can make one look like several */
    pthread_mutex_t lock; /* the library's one lock */
    _Atomic uintptr_t lock_owner; /* a thread's MPIR_Thread_self(), 0: nobody */
    int lock_depth; /* of the owner: user callbacks may call MPI again */
} MPIR_Process_t;

extern MPIR_Process_t MPIR_Process;

/* Its address tells threads apart, at the price of an instruction: this model of access needs no call. */
#ifdef __ELF__
#define MPIR_TLS_DIRECT __attribute__((tls_model("initial-exec")))
#else
#define MPIR_TLS_DIRECT
#endif
extern _Thread_local char MPII_this_thread MPIR_TLS_DIRECT;

/* May ordinary calls be made (some user is active)? */
static inline bool MPIR_Is_active(void)
{
    return atomic_load_explicit(&MPIR_Process.users, memory_order_acquire) > 0;
}

static inline bool MPIR_World_is_active(void)
{
    return atomic_load_explicit(&MPIR_Process.world, memory_order_acquire) == MPIR_WORLD_ACTIVE;
}

/* Is this process a member of the process set? False for an unknown one. */
bool MPIR_Pset_has_me(const char *name);

/* Thread level of the world, by name; NULL before MPI_Init. */
const char *MPIR_World_level_name(void);

/* ---- the library's lock --------------------------------------------------------------------------
 * It is biased: while one thread at a time is in MPI (`threaded` false) a call costs a few plain stores. The
 * init layer raises `threaded` when a second thread may come: it sets the flag and makes all threads pass a
 * fence. Thus each thread either sees the flag and takes the lock, or is seen inside by those that take it:
 * whoever takes the lock waits, however long, until the calls that went in without it are out or have made
 * the lock theirs. They do that in the wait function, and when a callback of the user's calls MPI again. So
 * nobody is inside beside the holder of the lock, and a raise itself waits for nobody: a callback inside the
 * library may wait for a thread that opens a session.
 * Where such a fence is not to be had, `threaded` is true from the start.
 */

/* The calling thread: a number that is not 0 and belongs to no other living thread. */
static inline uintptr_t MPIR_Thread_self(void)
{
    return (uintptr_t) &MPII_this_thread;
}

/* Slow halves, in src/mpi/init/lock.c. */
void MPIR_Lock_take(void);
void MPIR_Lock_drop(void);
void MPIR_Lock_leave_unlocked(void);

/* Enter the library; the result goes to MPIR_Unlock(). */
static inline bool MPIR_Lock(void)
{
    MPIR_Process_t *p = &MPIR_Process;
    if (MPL_LIKELY(!atomic_load_explicit(&p->threaded, memory_order_relaxed))) {
        uint32_t n = atomic_load_explicit(&p->inside, memory_order_relaxed);
        atomic_store_explicit(&p->insider, MPIR_Thread_self(), memory_order_relaxed);
        /* Release: who sees us inside sees who we are. */
        atomic_store_explicit(&p->inside, n + 1, memory_order_release);
        MPL_fence_light(); /* pairs with MPL_fence_heavy in MPIR_Lock_raise: `inside` before `threaded` */
        if (MPL_LIKELY(!atomic_load_explicit(&p->threaded, memory_order_acquire)))
            return false;
        atomic_store_explicit(&p->inside, n, memory_order_release);
    }
    MPIR_Lock_take();
    return true;
}

static inline void MPIR_Unlock(bool taken)
{
    MPIR_Process_t *p = &MPIR_Process;
    if (MPL_UNLIKELY(taken))
        MPIR_Lock_drop();
    else if (MPL_UNLIKELY(atomic_load_explicit(&p->threaded, memory_order_relaxed)))
        MPIR_Lock_leave_unlocked();
    else
        atomic_store_explicit(&p->inside,
                              atomic_load_explicit(&p->inside, memory_order_relaxed) - 1,
                              memory_order_release);
}

/* For the wait function alone. _yield: let other threads in for a moment (a load where `threaded` is false).
 * _release / _reacquire: around a sleep in the kernel. */
int MPIR_Lock_release(void);
void MPIR_Lock_reacquire(int depth);
void MPIR_Lock_yield_slow(void);
static inline void MPIR_Lock_yield(void)
{
    if (MPL_UNLIKELY(atomic_load_explicit(&MPIR_Process.threaded, memory_order_relaxed)))
        MPIR_Lock_yield_slow();
}

/* For src/mpi/init alone: from now on several threads may come / one at a time again (no call inside). */
void MPIR_Lock_raise(void);
void MPIR_Lock_lower(void);

#endif /* MPIR_PROCESS_H_INCLUDED */
