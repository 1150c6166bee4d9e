/* Private to src/pmi: the table behind which each launcher's wire lies, and what the front has read
 * from the environment. */
#ifndef PMI_BACKEND_H_INCLUDED
#define PMI_BACKEND_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "mpir_pmi.h"

/* What a wire can do. All that return int return MPI_SUCCESS or a code from MPIR_Err(). */
typedef struct MPIR_Pmi_backend {
    const char *name;
    /* Connect; fills rank, size, appnum, universe_size and name of the job. Waits for nobody. */
    int (*connect)(MPIR_Pmi_job *job);
    int (*put)(const char *key, const char *value);
    int (*fence_begin)(void);
    int (*fence_end)(bool wait, bool *done);
    /* A key that `rank` has put; *found says whether it is there. */
    int (*get)(int rank, const char *key, char *value, size_t size, bool *found);
    /* Does get find a key as soon as it is put? Then not found means not yet, and no fence is needed.
     * NULL: it does not. */
    bool (*keys_at_once)(void);
    /* As get, at any time and without waiting: not found means not yet. NULL: keys are there at once,
     * or after the fence. */
    int (*try)(int rank, const char *key, char *value, size_t size, bool *found);
    /* An attribute of the job, such as PMI_process_mapping. */
    int (*attr)(const char *name, char *value, size_t size, bool *found);
    /* Fill local_rank and local_size; which ranks those are. NULL: they follow from MPI_LOCALRANKID
     * and the process mapping. */
    int (*locals)(MPIR_Pmi_job *job);
    int (*local_ranks)(int *ranks, int max);
    /* Add the launcher's process sets by MPIR_Pmi_pset_add(), at most. NULL: it has none. */
    void (*find_psets)(void);
    void (*abort)(int exit_code, const char *message);
    void (*finalize)(void);
} MPIR_Pmi_backend;

extern const MPIR_Pmi_backend MPIR_Pmi_simple; /* PMI-1 lines over PMI_FD or PMI_PORT */
extern const MPIR_Pmi_backend MPIR_Pmi_pmi2;   /* PMI-2 frames over the same */
extern const MPIR_Pmi_backend MPIR_Pmi_pmix;   /* libpmix, opened when it is needed */
extern const MPIR_Pmi_backend MPIR_Pmi_alone;  /* no launcher */

extern int MPIR_CVAR_PMI_TIMEOUT;

/* Which of them the environment and MPIR_CVAR_PMI_VERSION call for. Launcher variables that are
 * there and cannot be used are an error. */
int MPIR_Pmi_choose(const MPIR_Pmi_backend **wire);

/* A launcher variable as a whole number in [low, high]; `form` says to people what was expected. */
int MPIR_Pmi_env_int(const char *name, const char *form, int low, int high, int *value);

/* The psets and the error handler that mpiexec hands down. */
int MPIR_Pmi_env_psets(int job_size);

/* One more set; a name that is known already changes nothing. False: no memory. */
bool MPIR_Pmi_pset_add(const char *name, const char *ranks);

/* How many are known so far. */
int MPIR_Pmi_pset_known(void);

#endif /* PMI_BACKEND_H_INCLUDED */
