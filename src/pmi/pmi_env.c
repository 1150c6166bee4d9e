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
    const char *name, *ranks;
} Pset;

/* Lives with the process: the list is read once and never changes. */
static struct {
    char *text; /* own copy that the psets point into */
    Pset *pset;
    int n;
} env;

/* Split "NAME=RANKS" in place. A name may hold '=' (they are URIs), ranks cannot. */
static bool take_pset(char *item, int size, Pset *pset)
{
    char *equal = strrchr(item, '=');

    if (!equal || equal == item || !MPIR_Pmi_ranks_valid(equal + 1, size))
        return false;
    *equal = '\0';
    pset->name = item;
    pset->ranks = equal + 1;
    return true;
}

static int take_all(int size)
{
    char quoted[80];

    for (char *item = env.text, *next; item; item = next) {
        next = strchr(item, ';');
        if (next)
            *next++ = '\0';
        if (!take_pset(item, size, &env.pset[env.n]))
            return MPIR_Err("**pmi_env", PSETS_ENV, MPIR_Pmi_quote(item, quoted, sizeof(quoted)),
                            "NAME=RANKS;NAME=RANKS with ranks of this job such as 0,2-5");
        env.n++;
    }
    return MPI_SUCCESS;
}

int MPIR_Pmi_env_psets(int job_size)
{
    const char *text = getenv(PSETS_ENV);
    size_t max = 1;

    if (!text || !*text || env.text)
        return MPI_SUCCESS;
    for (const char *p = text; (p = strchr(p, ';')); p++)
        max++;
    env.text = strdup(text);
    env.pset = calloc(max, sizeof(*env.pset));
    int err = env.text && env.pset ? take_all(job_size)
                                   : MPIR_Err("**pmi_nomem", "the list of process sets");
    if (err) {
        free(env.text);
        free(env.pset);
        memset(&env, 0, sizeof(env));
    }
    return err;
}

int MPIR_Pmi_pset_count(void)
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

const char *MPIR_Pmi_initial_errhandler(void)
{
    const char *name = getenv(HANDLER_ENV);
    return name && *name ? name : NULL;
}
