/* The init layer: a process's life as a state machine, of which src/mpi/init is the only writer.
 *
 *              first init                    last finalize
 *   COLD ────────────────────▶ ACTIVE ─┬──────────────────▶ SUSPENDED ─┐ next init: the device resumes
 *                                ▲     └─ FINALIZE_ATEXIT ▶ DEFERRED ──┤ next init: nothing to do
 *                                └─────────────────────────────────────┘
 *   exit hook: DEFERRED: MPII_Finalize; then the device shuts down, the launcher is told: CLOSED
 *
 * Called by the bindings (MPI_Init ... MPI_Session_finalize); calls the device (MPID_*), comm and the other folders of
 * src/mpi to build and drop their part of an epoch.
 */
#ifndef MPIR_INIT_H_INCLUDED
#define MPIR_INIT_H_INCLUDED

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>
#include <sys/types.h>


/* Where time goes, in ns, summed over the life of the process. */
typedef enum MPII_Phase {
    MPII_PHASE_COLD, /* first init: launcher, shared memory, transports */
    MPII_PHASE_RESUME,
    MPII_PHASE_FLUSH, /* waiting until our messages have left, at the end of an epoch */
    MPII_PHASE_FINALIZE, /* MPII_Finalize: freeing the MPI layer, and suspending the device */
    MPII_PHASE_N
} MPII_Phase;

/* Lives with the process; the state itself, the users and the world are in MPIR_Process. */
typedef struct MPII_Life {
    pthread_mutex_t lock; /* the init lock: transitions happen one at a time */
    pid_t pid; /* that initialised: a forked child must not act at exit */
    bool forked; /* this is a child of the process that initialised: it cannot use MPI */
    pthread_t first_thread; /* that opened the epoch */
    bool exiting; /* the exit hook has run: the next last finalize closes at once */
    bool biased; /* the lock can be: heavy fences work here */
    _Atomic bool world_claimed; /* MPI_Init has been called: it comes once */
    _Atomic int world_level; /* thread level granted to the world; -1: none yet */
    pthread_t world_thread; /* that called MPI_Init */
    int top_level; /* highest level granted in this epoch */
    unsigned long long epoch; /* of this process alone; 1 is the first */
    unsigned long long reinits; /* epochs after the first */
    unsigned long long deferred; /* finalizes put off */
    _Atomic uint64_t phase_ns[MPII_PHASE_N];
} MPII_Life;

extern MPII_Life MPII_life;

/* One more user: the world or a session that asks for a thread level. Opens an epoch if there is none. `who` is for
 * MPIR_CVAR_DEBUG_INIT. *granted gets the level. Local: waits for no other rank. */
int MPII_Enter(const char *who, int level, int *granted);

/* One user less; the last one ends the epoch. All that the user's own calls must complete is complete. */
int MPII_Leave(const char *who);

/* The MPI layer's part of an epoch. */
void MPII_Finalize(void);

/* Shut the device down and say goodbye to the launcher, for good. The init lock is held. */
void MPII_Close(void);

/* Register the exit hook (idempotent per process and once more after a module was loaded). */
int MPII_Exit_hook_register(void);

/* Level that a request gets, and its name. MPII_Thread_level_parse: -1 for an unknown name. */
const char *MPII_Thread_level_name(int level);
int MPII_Thread_level_parse(const char *name);

/* The granted memory kinds for a request like "system,mpi:alloc_mem" (NULL: none); malloc'ed, NULL: out of memory. */
char *MPII_Alloc_kinds(const char *requested);

/* A line on stderr if MPIR_CVAR_DEBUG_INIT is set. */
void MPII_Debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Process sets: 0 is mpi://WORLD, 1 is mpi://SELF, then those of the launcher. */
int MPII_Pset_count(void);
const char *MPII_Pset_name(int i); /* NULL: out of range */
/* Index of a name (case matters), or -1. */
int MPII_Pset_find(const char *name);
int MPII_Pset_size(int i);
/* Members as world ranks in order; `ranks` has room for MPII_Pset_size(). Only for i >= 2. */
void MPII_Pset_members(int i, int *ranks);
/* Are they *first and those next to it, so that they need not be listed? */
bool MPII_Pset_is_run(int i, int *first);

#endif /* MPIR_INIT_H_INCLUDED */
