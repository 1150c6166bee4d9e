/* Cards without a barrier. Launchers that speak PMI-1 or PMI-2 show a key when everybody has entered
 * the barrier, and a process that never calls MPI never does. But what is published as the port of a
 * service can be looked up at once, so each value is published, too, under a name that holds the job
 * and the key; whoever needs it before the barrier is over looks there.
 *
 * Only with launchers that are known to serve this (Hydra, Slurm): others may take a command that
 * they do not know for the end of the conversation.
 */
#ifndef PMI_NAMES_H_INCLUDED
#define PMI_NAMES_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#define MPIR_PMI_SERVICE_MAX 384

/* All-zero: not used. Lives with the process. */
typedef struct MPIR_Pmi_names {
    bool used;
    int n_pending; /* publications whose results have not come yet */
    struct MPIR_Pmi_miss *misses;
} MPIR_Pmi_names;

/* Does the launcher of this job serve names? */
bool MPIR_Pmi_names_known(const char *job);

/* The service of a key. */
void MPIR_Pmi_names_service(const char *job, const char *key, char *service);

/* What a rank has published was not found. Until it is time to ask again, may_ask says no. */
void MPIR_Pmi_names_missed(MPIR_Pmi_names *names, int rank);
bool MPIR_Pmi_names_may_ask(const MPIR_Pmi_names *names, int rank);

void MPIR_Pmi_names_free(MPIR_Pmi_names *names);

#endif /* PMI_NAMES_H_INCLUDED */
