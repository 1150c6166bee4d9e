/* The state machine of a process's life: epochs begin and end here. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "mpi.h"
#include "mpid.h"
#include "mpir_bsend.h"
#include "mpir_comm.h"
#include "mpir_cvar.h"
#include "mpir_err.h"
#include "mpir_init.h"
#include "mpir_process.h"
#include "mpir_request.h"

MPIR_CVAR_BOOL(FINALIZE_ATEXIT, 0,
               "Put the teardown at the last finalize off to the exit of the process, so that "
               "initialising again costs almost nothing.")

MPIR_Process_t MPIR_Process = {
    .state = MPIR_STATE_COLD,
    .world = MPIR_WORLD_NOT_YET,
    .size = 1,
    .appnum = -1,
    .universe_size = -1,
    .local_size = 1,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

MPII_Life MPII_life = { .lock = PTHREAD_MUTEX_INITIALIZER, .world_level = -1 };

static const char *state_name(int state)
{
    static const char *const name[] = { "cold", "active", "suspended", "deferred", "closed" };
    return name[state];
}

static int state_now(void)
{
    return atomic_load_explicit(&MPIR_Process.state, memory_order_acquire);
}

static void go_to(MPIR_State next)
{
    int before = state_now();
    atomic_store_explicit(&MPIR_Process.state, (int) next, memory_order_release);
    MPII_Debug("%s -> %s, epoch %llu", state_name(before), state_name((int) next), MPII_life.epoch);
}

static void add_time(MPII_Phase phase, uint64_t since)
{
    atomic_fetch_add_explicit(&MPII_life.phase_ns[phase], MPL_now_ns() - since, memory_order_relaxed);
}

/* ---- the beginning of an epoch; the init lock is held ---------------------------------------------------- */

static void note_fork(void)
{
    MPII_life.forked = true;
}

static int start_cold(void)
{
    uint64_t t = MPL_now_ns();
    MPII_life.biased = MPL_fence_register();
    if (!MPII_life.biased)
        MPIR_Lock_raise();
    int err = MPID_Init();
    if (err)
        return err;
    if (MPIR_Process.rank == 0)
        MPIR_Cvar_report();
    MPII_life.pid = getpid();
    if (pthread_atfork(NULL, NULL, note_fork) != 0)
        return MPIR_Err("**nomem", sizeof(MPII_life));
    /* Last, so that our hook runs before those of the libraries that the device has loaded. */
    err = MPII_Exit_hook_register();
    add_time(MPII_PHASE_COLD, t);
    return err;
}

static int resume(void)
{
    uint64_t t = MPL_now_ns();
    int err = MPID_Resume();
    add_time(MPII_PHASE_RESUME, t);
    return err;
}

static int open_epoch(void)
{
    int err = MPI_SUCCESS;
    bool again = true;
    switch ((MPIR_State) state_now()) {
        case MPIR_STATE_COLD:
            again = false;
            err = start_cold();
            break;
        case MPIR_STATE_SUSPENDED:
            err = resume();
            break;
        case MPIR_STATE_DEFERRED:
            MPID_Set_dormant(false);
            break;
        case MPIR_STATE_CLOSED:
            return MPIR_Err("**closed");
        case MPIR_STATE_ACTIVE:
            break; /* not reached: an active epoch has a user */
    }
    if (err)
        return err;
    MPII_life.epoch++;
    MPII_life.reinits += again;
    MPII_life.first_thread = pthread_self();
    MPII_life.top_level = MPI_THREAD_SINGLE;
    go_to(MPIR_STATE_ACTIVE);
    return MPI_SUCCESS;
}

/* Must calls be locked from now on? They must if a second thread may come while the first is in MPI: by a level that
 * says so, or because two users that each keep to one thread at a time do not know of each other. */
static bool needs_lock(int level, int users)
{
    int top = MPL_MAX(level, MPII_life.top_level);
    return top == MPI_THREAD_MULTIPLE || (users > 1 && top == MPI_THREAD_SERIALIZED)
        || !pthread_equal(MPII_life.first_thread, pthread_self());
}

static int fork_check(void)
{
    if (MPL_UNLIKELY(MPII_life.forked))
        return MPIR_Err("**forked", (long) getpid(), (long) MPII_life.pid);
    return MPI_SUCCESS;
}

int MPII_Enter(const char *who, int level, int *granted)
{
    int err = fork_check(); /* first: another thread may have held the lock at the fork */
    if (err)
        return err;
    MPIR_Cvar_init();
    pthread_mutex_lock(&MPII_life.lock);
    int users = atomic_load_explicit(&MPIR_Process.users, memory_order_relaxed);
    if (users == 0)
        err = open_epoch();
    if (!err) {
        if (needs_lock(level, users + 1))
            MPIR_Lock_raise();
        MPII_life.top_level = MPL_MAX(level, MPII_life.top_level);
        atomic_store_explicit(&MPIR_Process.users, users + 1, memory_order_release);
        *granted = level;
        MPII_Debug("%s enters, users %d, %s", who, users + 1, MPII_Thread_level_name(level));
    }
    pthread_mutex_unlock(&MPII_life.lock);
    return err;
}

/* ---- the end of an epoch ---------------------------------------------------------------------------------- */

/* What users left behind goes without callbacks (MPI-5.0 11.3.1); what belongs to no epoch stays. */
void MPII_Finalize(void)
{
    uint64_t t = MPL_now_ns();
    MPIR_Request_drop_all();
    MPIR_Comm_drop_all();
    MPIR_Group_drop_all();
    add_time(MPII_PHASE_FINALIZE, t);
}

static int suspend(void)
{
    MPII_Finalize();
    uint64_t t = MPL_now_ns();
    int err = MPID_Suspend();
    add_time(MPII_PHASE_FINALIZE, t);
    go_to(MPIR_STATE_SUSPENDED);
    return err;
}

static void defer(void)
{
    MPII_life.deferred++;
    MPID_Set_dormant(true);
    go_to(MPIR_STATE_DEFERRED);
}

/* The last user has gone; the init lock is held. */
static int close_epoch(void)
{
    int err = MPI_SUCCESS;
    MPIR_Bsend_detach_process(); /* its messages have left with the flush */
    MPIR_Lock_lower();
    if (MPIR_CVAR_FINALIZE_ATEXIT && !MPII_life.exiting)
        defer();
    else
        err = suspend();
    if (MPII_life.exiting) /* finalized by a destructor that ran after our exit hook */
        MPII_Close();
    return err;
}

/* The messages of this process must be on their way before it may exit. Waiting gives progress to everybody, so it
 * happens while the user still counts, and without the init lock: others may come and go meanwhile. */
static int flush(void)
{
    uint64_t t = MPL_now_ns();
    bool taken = MPIR_Lock();
    int err = MPID_Flush();
    MPIR_Unlock(taken);
    add_time(MPII_PHASE_FLUSH, t);
    return err;
}

int MPII_Leave(const char *who)
{
    int err = fork_check();
    if (err)
        return err;
    err = flush();
    pthread_mutex_lock(&MPII_life.lock);
    int users = atomic_load_explicit(&MPIR_Process.users, memory_order_relaxed) - 1;
    atomic_store_explicit(&MPIR_Process.users, users, memory_order_release);
    MPII_Debug("%s leaves, users %d", who, users);
    if (users == 0) {
        int err2 = close_epoch();
        err = err ? err : err2;
    }
    pthread_mutex_unlock(&MPII_life.lock);
    return err;
}

/* ---- the end of the process; the init lock is held --------------------------------------------------------- */

void MPII_Close(void)
{
    if (state_now() == MPIR_STATE_DEFERRED)
        MPII_Finalize();
    MPID_Finalize();
    go_to(MPIR_STATE_CLOSED);
}
