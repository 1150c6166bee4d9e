/* PMIx: the launcher behind libpmix (Open MPI's mpirun, PRRTE, srun --mpi=pmix). See pmix_impl.h.
 *
 * What the server knows of the job is there when PMIx_Init() returns, in memory shared with the
 * server, so that asking costs no message. There is no fence: a key of another process is fetched
 * when it is needed.
 */
#include "mpichconf.h"

#include "../pmi_backend.h"
#include "mpi.h"
#include "mpir_err.h"

#ifdef HAVE_PMIX
#include <stdlib.h>
#include <string.h>

#include "mpl.h"
#include "pmix_impl.h"

#define FAREWELL_S 3

/* Lives with the process. */
static struct {
    bool open;
    char *peers; /* "0,1,2": the ranks on this node; NULL: not told */
} px;

/* ---- what the server knows of the job -------------------------------------------------------- */

/* Without asking the server; *value is NULL if it is not there. */
static int known(pmix_rank_t rank, const char *key, pmix_value_t **value)
{
    pmix_info_t local = { .key = PMIX_OPTIONAL, .value = { .type = PMIX_BOOL } };
    pmix_proc_t of = MPIR_Pmix_me;

    local.value.data.flag = true;
    of.rank = rank;
    *value = NULL;
    pmix_status_t status = MPIR_Pmix.get(&of, key, &local, 1, value);
    if (status == PMIX_SUCCESS)
        return MPI_SUCCESS;
    *value = NULL;
    return status == PMIX_ERR_NOT_FOUND ? MPI_SUCCESS : MPIR_Pmix_error(key, status);
}

/* A number; *number stays as it is if the server does not know it. */
static int known_number(pmix_rank_t rank, const char *key, int *number)
{
    pmix_value_t *value;
    int err = known(rank, key, &value);

    if (!err && value && !MPIR_Pmix_number(value, number))
        err = MPIR_Err("**pmix_value", key);
    MPIR_Pmix_free(value);
    return err;
}

static int pmix_connect(MPIR_Pmi_job *job)
{
    int size = 0;
    int err = MPIR_Pmix_open();

    if (err)
        return err;
    px.open = true;
    if ((err = known_number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &size)) ||
        (err = known_number(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, &job->universe_size)) ||
        (err = known_number(MPIR_Pmix_me.rank, PMIX_APPNUM, &job->appnum)))
        return err;
    if (size < 1 || MPIR_Pmix_me.rank >= (pmix_rank_t) size)
        return MPIR_Err("**pmix_rank", MPIR_Pmix_me.rank, size);
    job->rank = (int) MPIR_Pmix_me.rank;
    job->size = size;
    if (!MPL_strcpy(job->name, sizeof(job->name), MPIR_Pmix_me.nspace) || !job->name[0])
        return MPIR_Err("**pmix_value", "the namespace");
    return MPI_SUCCESS;
}

/* ---- who is on this node --------------------------------------------------------------------- */

/* Visit "0,1,5" in order; returns how many there are, -1 if that is no such list. */
static int walk_peers(int job_size, int *ranks, int max, int *below)
{
    int n = 0, last = -1;

    *below = 0;
    for (const char *p = px.peers; p && *p; n++) {
        char *end;
        long rank = strtol(p, &end, 10);
        if (end == p || rank <= last || rank >= job_size || (*end && *end != ','))
            return -1;
        last = (int) rank;
        *below += rank < (long) MPIR_Pmix_me.rank;
        if (n < max)
            ranks[n] = last;
        p = *end ? end + 1 : end;
    }
    return n;
}

/* Without a word from the server each process counts as alone on its node. */
static int pmix_locals(MPIR_Pmi_job *job)
{
    pmix_value_t *value;
    int below, err;

    job->local_rank = 0;
    job->local_size = 1;
    if ((err = known(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, &value)) || !value)
        return err;
    if (value->type == PMIX_STRING && value->data.string && !px.peers)
        px.peers = strdup(value->data.string);
    MPIR_Pmix_free(value);
    int n = walk_peers(job->size, NULL, 0, &below);
    if (n < 1 || below >= n)
        return MPIR_Err("**pmix_value", PMIX_LOCAL_PEERS);
    job->local_rank = below;
    job->local_size = n;
    return MPI_SUCCESS;
}

static int pmix_local_ranks(int *ranks, int max)
{
    int below;

    return px.peers ? walk_peers(0x7fffffff, ranks, max, &below) : -1;
}

static int pmix_attr(const char *name, char *value, size_t size, bool *found)
{
    (void) name, (void) value, (void) size;
    *found = false; /* what others have as attributes has its own functions here */
    return MPI_SUCCESS;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int pmix_put(const char *key, const char *value)
{
    pmix_value_t v = { .type = PMIX_STRING };

    v.data.string = (char *) value;
    pmix_status_t status = MPIR_Pmix.put(PMIX_GLOBAL, key, &v);
    if (status != PMIX_SUCCESS)
        return MPIR_Pmix_error("PMIx_Put", status);
    status = MPIR_Pmix.commit(); /* from here on the server can hand it out */
    return status == PMIX_SUCCESS ? MPI_SUCCESS : MPIR_Pmix_error("PMIx_Commit", status);
}

static int pmix_fence_begin(void)
{
    return MPI_SUCCESS;
}

static int pmix_fence_end(bool wait, bool *done)
{
    (void) wait;
    *done = true;
    return MPI_SUCCESS;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void pmix_abort(int exit_code, const char *message)
{
    if (px.open)
        MPIR_Pmix_call(MPIR_PMIX_ABORT, exit_code, message ? message : "", FAREWELL_S);
}

/* PMIx_Finalize() without a fence: it tells the server that this process ends well. */
static void pmix_finalize(void)
{
    if (px.open && MPIR_Pmix_call(MPIR_PMIX_FINALIZE, 0, "", FAREWELL_S) != PMIX_ERR_TIMEOUT)
        MPIR_Pmix_get_free();
    px.open = false;
    free(px.peers);
    px.peers = NULL;
}

const MPIR_Pmi_backend MPIR_Pmi_pmix = {
    .name = "PMIx",
    .connect = pmix_connect,
    .put = pmix_put,
    .fence_begin = pmix_fence_begin,
    .fence_end = pmix_fence_end,
    .get = MPIR_Pmix_get,
    .try = MPIR_Pmix_try,
    .attr = pmix_attr,
    .locals = pmix_locals,
    .local_ranks = pmix_local_ranks,
    .find_psets = MPIR_Pmix_find_psets,
    .abort = pmix_abort,
    .finalize = pmix_finalize,
};

#else /* HAVE_PMIX */

static int refuse(MPIR_Pmi_job *job)
{
    (void) job;
    return MPIR_Err("**pmix_none");
}

static void nothing(void) {}

const MPIR_Pmi_backend MPIR_Pmi_pmix = { .name = "PMIx", .connect = refuse, .finalize = nothing };

#endif /* HAVE_PMIX */
