/* Cards without a barrier. See names.h. */
#include "names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpl.h"

#define ASK_AGAIN_NS 5000000u /* the launcher of a large job is not asked all the time */

typedef struct MPIR_Pmi_miss {
    struct MPIR_Pmi_miss *next;
    int rank;
    uint64_t again_ns;
} MPIR_Pmi_miss;

MPIR_Pmi_names_use MPIR_Pmi_names_known(const char *job)
{
    if (getenv("PMI_JOBID"))
        return PMI_NAMES_AND_FENCE;
    return strncmp(job, "kvs_", 4) == 0 ? PMI_NAMES_ALONE : PMI_NAMES_NONE;
}

void MPIR_Pmi_names_service(const char *job, const char *key, char *service)
{
    snprintf(service, MPIR_PMI_SERVICE_MAX, "perennial:%s:%s", job, key);
}

static MPIR_Pmi_miss *find(const MPIR_Pmi_names *names, int rank)
{
    for (MPIR_Pmi_miss *m = names->misses; m; m = m->next) {
        if (m->rank == rank)
            return m;
    }
    return NULL;
}

void MPIR_Pmi_names_missed(MPIR_Pmi_names *names, int rank)
{
    MPIR_Pmi_miss *m = find(names, rank);

    if (!m) {
        m = malloc(sizeof(*m));
        if (!m)
            return; /* then it is asked again sooner */
        m->rank = rank;
        m->next = names->misses;
        names->misses = m;
    }
    m->again_ns = MPL_now_ns() + ASK_AGAIN_NS;
}

bool MPIR_Pmi_names_may_ask(const MPIR_Pmi_names *names, int rank)
{
    const MPIR_Pmi_miss *m = find(names, rank);

    return names->use != PMI_NAMES_NONE && (!m || MPL_now_ns() >= m->again_ns);
}

void MPIR_Pmi_names_free(MPIR_Pmi_names *names)
{
    while (names->misses) {
        MPIR_Pmi_miss *m = names->misses;
        names->misses = m->next;
        free(m);
    }
}
