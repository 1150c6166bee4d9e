/* How a rank ended, judged from what is known about it. Pure functions. */
#ifndef PM_VERDICT_H_INCLUDED
#define PM_VERDICT_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "mpir_nodedir.h"
#include "pmi_server.h"

typedef enum PM_ending {
    PM_END_CLEAN,
    PM_END_CODE, /* an exit code that is not 0, after MPI was finalized: the others go on */
    PM_END_SIGNAL, /* killed */
    PM_END_EARLY_CODE, /* an exit code that is not 0, without having finalized MPI */
    PM_END_EARLY, /* exit code 0, but in the middle of MPI */
} PM_ending;

/* `dir` is the state of the rank's entry in the node directory: a process that is dormant or gone
 * has left cleanly, even if it skipped its exit hooks (_exit) and so never said goodbye to PMI. */
PM_ending PM_judge(int wait_status, PM_pmi_state pmi, MPIR_Nodedir_state dir);

/* Does this ending end the whole job? */
bool PM_ends_job(PM_ending ending);

/* What mpiexec should return for it. */
int PM_code_of(PM_ending ending, int wait_status);

/* The exit code of MPI_Abort(code), as far as 8 bits can hold it: never 0 unless code is. */
int PM_code_of_abort(int code);

/* "was killed by signal 11 (SIGSEGV: Segmentation fault)" */
const char *PM_ending_text(PM_ending ending, int wait_status, PM_pmi_state pmi, char *text,
                           size_t size);

#endif /* PM_VERDICT_H_INCLUDED */
