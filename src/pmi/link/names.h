/* Cards without a barrier. Launchers that speak PMI-1 or PMI-2 show a key when everybody has entered
 * the barrier, and a process that never calls MPI never does. But what is published as the port of a
 * service can be looked up at once, so each value is published under a name that holds the job and
 * the key.
 *
 * Only with launchers that are known to serve this: others may take a command that they do not know
 * for the end of the conversation. Under Slurm the barrier is entered too, and names are looked up
 * until it ends. Under Hydra it is not: its mpiexec ends the job if the barrier ends when all ranks
 * of a host have entered it and left.
 */
#ifndef PMI_NAMES_H_INCLUDED
#define PMI_NAMES_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#define MPIR_PMI_SERVICE_MAX 384

typedef enum MPIR_Pmi_names_use { PMI_NAMES_NONE, PMI_NAMES_AND_FENCE, PMI_NAMES_ALONE } MPIR_Pmi_names_use;

/* All-zero: not used. Lives with the process. */
typedef struct MPIR_Pmi_names {
    MPIR_Pmi_names_use use;
    struct MPIR_Pmi_miss *misses;
} MPIR_Pmi_names;

/* What the launcher of this job is good for. */
MPIR_Pmi_names_use MPIR_Pmi_names_known(const char *job);

/* The service of a key. */
void MPIR_Pmi_names_service(const char *job, const char *key, char *service);

/* What a rank has published was not found. Until it is time to ask again, may_ask says no. */
void MPIR_Pmi_names_missed(MPIR_Pmi_names *names, int rank);
bool MPIR_Pmi_names_may_ask(const MPIR_Pmi_names *names, int rank);

void MPIR_Pmi_names_free(MPIR_Pmi_names *names);

#endif /* PMI_NAMES_H_INCLUDED */
