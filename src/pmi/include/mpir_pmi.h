/* Who am I, where are the others: the launcher, behind one table whatever wire it speaks.
 *
 * Connected once per process and closed once, at exit. Keys are put once in the life of the
 * process.
 */
#ifndef MPIR_PMI_H_INCLUDED
#define MPIR_PMI_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#define MPIR_PMI_VALUE_MAX 1024

/* What the launcher told. Lives with the process. */
typedef struct MPIR_Pmi_job {
    int rank, size; /* 0 of 1 without a launcher */
    int appnum; /* -1: unknown */
    int universe_size; /* -1: unknown */
    /* from MPI_LOCALRANKID/MPI_LOCALNRANKS, or the process mapping; singleton: 0, 1 */
    int local_rank, local_size;
    bool singleton;
    /* of the job: equal in all its processes, different from any other job's (kvs name) */
    char name[256];
} MPIR_Pmi_job;

/* Connect and fill *job. Never a fence or a barrier. On failure returns an error code (MPIR_Err)
 * that names the variable or the line, what was expected and what came: launcher variables that are
 * present and unusable are an error, not N singletons. */
int MPIR_Pmi_init(MPIR_Pmi_job *job);

/* Publish a value, once per key. Visible to others after their MPIR_Pmi_fence_end(). */
int MPIR_Pmi_put(const char *key, const char *value);

/* The split-phase barrier: begin says that this process is there and does not wait; end waits for
 * all. Both do nothing when already done. */
int MPIR_Pmi_fence_begin(void);
int MPIR_Pmi_fence_end(void);

/* Has everyone entered the fence that was begun? Does not wait. */
int MPIR_Pmi_fence_test(bool *done);

/* Read a key of any process; error code if it is not there. size > 0. */
int MPIR_Pmi_get(int rank, const char *key, char *value, size_t size);

/* The same without waiting for other processes: *there says whether the key can be had already.
 * Under a launcher that shows keys one by one this needs no fence. */
int MPIR_Pmi_try(int rank, const char *key, char *value, size_t size, bool *there);

/* Which ranks run on this node: writes their world ranks in order if there are at most `max`, returns
 * how many there are (from the process mapping; all ranks when local_size == size), or -1 if the
 * launcher does not tell. */
int MPIR_Pmi_local_ranks(int *ranks, int max);

/* Number of the named process sets that the launcher knows besides mpi://WORLD and mpi://SELF, and
 * the i-th: its name and members ("0,2-5"). From mpiexec -pset (environment PERENNIAL_PSETS:
 * NAME=RANKS;NAME=RANKS), or from PMIx. Once counted, their number and order do not change. */
int MPIR_Pmi_pset_count(void);
const char *MPIR_Pmi_pset_name(int i);
const char *MPIR_Pmi_pset_ranks(int i);

/* Initial error handler name from the launcher (mpiexec -initial-errhandler; environment
 * PERENNIAL_INITIAL_ERRHANDLER), or NULL. */
const char *MPIR_Pmi_initial_errhandler(void);

/* Ask the launcher to kill the job; best effort, does not wait. */
void MPIR_Pmi_abort(int exit_code, const char *message);

/* Say goodbye, once, at exit; waits for the acknowledgement for a bounded time. */
void MPIR_Pmi_finalize(void);

#endif /* MPIR_PMI_H_INCLUDED */
