/* What our mpiexec hands down in the environment beside PMI: named process sets, the initial error
 * handler. */
#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "mpir_err.h"
#include "mpir_pmi.h"
#include "mpl.h"
#include "pmi_backend.h"
#include "wire/pmi_wire.h"

#define PSETS_ENV "PERENNIAL_PSETS"
#define HANDLER_ENV "PERENNIAL_INITIAL_ERRHANDLER"

typedef struct Pset {
    char *name, *ranks;
} Pset;

/* Lives with the process: sets are only added. */
static struct {
    bool read; /* PSETS_ENV */
    Pset *pset;
    int n;
} env;

/* ---- the list -------------------------------------------------------------------------------- */

bool MPIR_Pmi_pset_add(const char *name, const char *ranks)
{
    for (int i = 0; i < env.n; i++) {
        if (strcmp(env.pset[i].name, name) == 0)
            return true;
    }
    Pset set = { strdup(name), strdup(ranks) };
    Pset *grown = realloc(env.pset, (size_t) (env.n + 1) * sizeof(*grown));
    if (grown)
        env.pset = grown;
    if (!grown || !set.name || !set.ranks) {
        free(set.name);
        free(set.ranks);
        return false;
    }
    grown[env.n++] = set;
    return true;
}

int MPIR_Pmi_pset_known(void)
{
    return env.n;
}

const char *MPIR_Pmi_pset_name(int i)
{
    return i >= 0 && i < env.n ? env.pset[i].name : NULL;
}

const char *MPIR_Pmi_pset_ranks(int i)
{
    return i >= 0 && i < env.n ? env.pset[i].ranks : NULL;
}

/* ---- from the environment -------------------------------------------------------------------- */

/* "NAME=RANKS", cut up in place. A name may hold '=' (they are URIs), ranks cannot. */
static int take_pset(char *item, int size)
{
    static const char form[] = "NAME=RANKS;NAME=RANKS with ranks of this job such as 0,2-5";
    char *equal = strrchr(item, '='), quoted[80];

    if (!equal || !MPIR_Pmi_pset_name_valid(item, (size_t) (equal - item)) ||
        !MPIR_Pmi_ranks_valid(equal + 1, size))
        return MPIR_Err("**pmi_env", PSETS_ENV, MPIR_Pmi_quote(item, quoted, sizeof(quoted)), form);
    *equal = '\0';
    return MPIR_Pmi_pset_add(item, equal + 1) ? MPI_SUCCESS
                                              : MPIR_Err("**pmi_nomem", "a process set");
}

int MPIR_Pmi_env_psets(int job_size)
{
    const char *text = getenv(PSETS_ENV);
    char *copy = text && *text && !env.read ? strdup(text) : NULL;
    int err = MPI_SUCCESS;

    env.read = env.read || copy;
    for (char *item = copy, *next; item && !err; item = next) {
        next = strchr(item, ';');
        if (next)
            *next++ = '\0';
        err = take_pset(item, job_size);
    }
    free(copy);
    return err;
}

const char *MPIR_Pmi_initial_errhandler(void)
{
    const char *name = getenv(HANDLER_ENV);
    return name && *name ? name : NULL;
}
