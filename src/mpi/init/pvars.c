/* What tools can see of the init layer, by MPI_T. */
#include "mpir_init.h"
#include "mpir_process.h"
#include "mpir_pvar.h"

static unsigned long long users(void)
{
    return (unsigned long long) atomic_load(&MPIR_Process.users);
}

static double seconds(MPII_Phase phase)
{
    return (double) atomic_load(&MPII_life.phase_ns[phase]) * 1e-9;
}

static double cold(void) { return seconds(MPII_PHASE_COLD); }
static double resumed(void) { return seconds(MPII_PHASE_RESUME); }
static double flushed(void) { return seconds(MPII_PHASE_FLUSH); }
static double finalized(void) { return seconds(MPII_PHASE_FINALIZE); }

MPIR_PVAR_COUNTER(init_epoch, &MPII_life.epoch, "Epochs of this process so far; 1 is the first.")
MPIR_PVAR_LEVEL_FN(init_users, users, "Open sessions, and one more while the world is active.")
MPIR_PVAR_COUNTER(init_reinits, &MPII_life.reinits, "Epochs after the first.")
MPIR_PVAR_COUNTER(init_deferred_finalizes, &MPII_life.deferred,
                  "Last finalizes whose teardown was put off to the exit of the process.")
MPIR_PVAR_TIMER(init_time_first, cold, "Seconds that the first init took.")
MPIR_PVAR_TIMER(init_time_resume, resumed, "Seconds spent in resuming the device at re-inits.")
MPIR_PVAR_TIMER(init_time_flush, flushed,
                "Seconds that finalizes waited for messages of this process to leave.")
MPIR_PVAR_TIMER(init_time_finalize, finalized,
                "Seconds spent in freeing the MPI layer and suspending the device.")
