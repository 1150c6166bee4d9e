/* Private to src/pmi: the table behind which each wire lies, and what the front has read from the
 * environment. */
#ifndef PMI_BACKEND_H_INCLUDED
#define PMI_BACKEND_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "mpir_pmi.h"

/* What a wire can do. All return MPI_SUCCESS or a code from MPIR_Err(). */
typedef struct MPIR_Pmi_backend {
    const char *name;
    /* Connect; fills rank, size, appnum, universe_size and name of the job. */
    int (*connect)(MPIR_Pmi_job *job);
    int (*put)(const char *key, const char *value);
    int (*fence_begin)(void);
    int (*fence_end)(bool wait, bool *done);
    /* *found says whether the key is there. */
    int (*get)(const char *key, char *value, size_t size, bool *found);
    void (*abort)(int exit_code, const char *message);
    void (*finalize)(void);
} MPIR_Pmi_backend;

extern const MPIR_Pmi_backend MPIR_Pmi_simple; /* PMI-1 lines over PMI_FD or PMI_PORT */
extern const MPIR_Pmi_backend MPIR_Pmi_alone; /* no launcher */

/* A launcher variable as a whole number in [low, high]; `form` says to people what was expected. */
int MPIR_Pmi_env_int(const char *name, const char *form, int low, int high, int *value);

/* The psets and the error handler that mpiexec hands down. */
int MPIR_Pmi_env_psets(int job_size);

#endif /* PMI_BACKEND_H_INCLUDED */
