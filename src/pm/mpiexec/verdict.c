/* How a rank ended. See verdict.h. */
#include "verdict.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "signals.h"

PM_ending PM_judge(int wait_status, PM_pmi_state pmi, MPIR_Nodedir_state dir)
{
    bool in_mpi = pmi == PM_PMI_ACTIVE || pmi == PM_PMI_BROKEN;
    bool left_mpi = pmi == PM_PMI_FINALIZED || dir == MPIR_PROC_DORMANT || dir == MPIR_PROC_GONE;

    if (WIFSIGNALED(wait_status))
        return PM_END_SIGNAL;
    if (WEXITSTATUS(wait_status) != 0)
        return left_mpi ? PM_END_CODE : PM_END_EARLY_CODE;
    return in_mpi && !left_mpi ? PM_END_EARLY : PM_END_CLEAN;
}

bool PM_ends_job(PM_ending ending)
{
    return ending == PM_END_SIGNAL || ending == PM_END_EARLY_CODE || ending == PM_END_EARLY;
}

int PM_code_of(PM_ending ending, int wait_status)
{
    if (ending == PM_END_SIGNAL)
        return 128 + WTERMSIG(wait_status);
    return ending == PM_END_EARLY ? 1 : WEXITSTATUS(wait_status);
}

int PM_code_of_abort(int code)
{
    return code != 0 && (code & 0xff) == 0 ? 1 : code & 0xff;
}

const char *PM_ending_text(PM_ending ending, int wait_status, PM_pmi_state pmi, char *text,
                           size_t size)
{
    int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;

    switch (ending) {
        case PM_END_SIGNAL:
            snprintf(text, size, "was killed by signal %d (%s: %s)%s", WTERMSIG(wait_status),
                     PM_signal_name(WTERMSIG(wait_status)), strsignal(WTERMSIG(wait_status)),
                     WCOREDUMP(wait_status) ? ", core dumped" : "");
            break;
        case PM_END_EARLY:
            snprintf(text, size, "exited with code 0 without finalizing MPI");
            break;
        case PM_END_EARLY_CODE:
            snprintf(text, size, "exited with code %d %s", code,
                     pmi == PM_PMI_NEW ? "and has not used MPI" : "without finalizing MPI");
            break;
        case PM_END_CODE:
            snprintf(text, size, "exited with code %d after finalizing MPI", code);
            break;
        case PM_END_CLEAN:
            snprintf(text, size, "exited with code 0");
            break;
    }
    return text;
}
