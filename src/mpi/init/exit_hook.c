/* What happens at exit(): local, bounded, and only in the process that initialised. */
#include <stdlib.h>
#include <unistd.h>

#include "mpi.h"
#include "mpir_err.h"
#include "mpir_init.h"
#include "mpir_process.h"

/* Runs first of all our hooks, by exit() or a return from main. With users left there is nothing to do: either a
 * destructor that runs later finalizes, and then closes at once, or the program leaves without finalizing, which the
 * launcher sees. */
static void at_exit(void)
{
    if (getpid() != MPII_life.pid || MPII_life.exiting)
        return;
    /* A thread that is still in an init or finalize while the process exits must not make us wait. */
    if (pthread_mutex_trylock(&MPII_life.lock) != 0)
        return;
    MPII_life.exiting = true;
    MPII_Debug("exit hook, users %d", atomic_load(&MPIR_Process.users));
    int state = atomic_load(&MPIR_Process.state);
    if (!MPIR_Is_active() && (state == MPIR_STATE_SUSPENDED || state == MPIR_STATE_DEFERRED))
        MPII_Close();
    pthread_mutex_unlock(&MPII_life.lock);
}

int MPII_Exit_hook_register(void)
{
    if (atexit(at_exit) != 0)
        return MPIR_Err("**atexit");
    return MPI_SUCCESS;
}
