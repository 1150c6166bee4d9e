/* The front of the launcher link: picks the wire, finds out which ranks are on this node, and
 * passes calls on. */
#include "mpir_pmi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"
#include "pmi_backend.h"
#include "pmi_mapping.h"
#include "wire/pmi_wire.h"

/* Lives with the process. */
static struct {
    const MPIR_Pmi_backend *wire; /* NULL: not connected, or closed */
    pid_t pid; /* that connected; a forked child must not speak on its parent's link */
    MPIR_Pmi_job job;
    bool fence_begun, fence_done;
    bool map_asked, map_known, psets_asked;
    MPIR_Pmi_mapping map;
} pmi;

/* ---- who is on this node --------------------------------------------------------------------- */

/* Ask for the process mapping, once. It is not an error if the launcher has none. */
static int fetch_mapping(void)
{
    char text[MPIR_PMI_VALUE_MAX], quoted[80];
    const char *why;

    if (pmi.map_asked)
        return MPI_SUCCESS;
    int err = pmi.wire->attr("PMI_process_mapping", text, sizeof(text), &pmi.map_known);
    if (err)
        return err;
    pmi.map_asked = true;
    if (pmi.map_known && !MPIR_Pmi_mapping_parse(text, &pmi.map, &why)) {
        pmi.map_known = false;
        return MPIR_Err("**pmi_mapping", why, MPIR_Pmi_quote(text, quoted, sizeof(quoted)));
    }
    return MPI_SUCCESS;
}

static int locals_from_env(MPIR_Pmi_job *job)
{
    int err =
        MPIR_Pmi_env_int("MPI_LOCALNRANKS", "the number of ranks on this node, from 1 to PMI_SIZE",
                         1, job->size, &job->local_size);
    if (err)
        return err;
    return MPIR_Pmi_env_int("MPI_LOCALRANKID", "a number from 0 to MPI_LOCALNRANKS - 1", 0,
                            job->local_size - 1, &job->local_rank);
}

static int locals_from_mapping(MPIR_Pmi_job *job)
{
    job->local_rank = 0;
    job->local_size = 1;
    int err = fetch_mapping();
    if (err || !pmi.map_known)
        return err; /* without a word from the launcher each process counts as alone on its node */
    int node = MPIR_Pmi_mapping_node(&pmi.map, job->rank);
    job->local_rank = MPIR_Pmi_mapping_count(&pmi.map, node, job->rank);
    job->local_size = MPIR_Pmi_mapping_count(&pmi.map, node, job->size);
    return MPI_SUCCESS;
}

static int find_locals(MPIR_Pmi_job *job)
{
    if (job->singleton || job->size == 1) {
        job->local_rank = 0;
        job->local_size = 1;
        return MPI_SUCCESS;
    }
    if (pmi.wire->locals)
        return pmi.wire->locals(job);
    if (getenv("MPI_LOCALRANKID") || getenv("MPI_LOCALNRANKS"))
        return locals_from_env(job);
    return locals_from_mapping(job);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* A launcher that was told to crowd its machines may name fewer places than the ranks it has started. */
static void correct_universe(MPIR_Pmi_job *job)
{
    if (job->universe_size >= 0 && job->universe_size < job->size)
        job->universe_size = job->size;
}

int MPIR_Pmi_init(MPIR_Pmi_job *job)
{
    int err = MPIR_Pmi_choose(&pmi.wire);

    if (err) {
        pmi.wire = NULL;
        return err;
    }
    pmi.pid = getpid();
    pmi.job = (MPIR_Pmi_job) { .size = 1,
                               .appnum = -1,
                               .universe_size = -1,
                               .local_size = 1,
                               .singleton = pmi.wire == &MPIR_Pmi_alone };
    err = pmi.wire->connect(&pmi.job);
    if (!err)
        err = find_locals(&pmi.job);
    if (!err)
        err = MPIR_Pmi_env_psets(pmi.job.size);
    if (err) {
        pmi.wire->finalize();
        pmi.wire = NULL;
        return err;
    }
    correct_universe(&pmi.job);
    *job = pmi.job;
    return MPI_SUCCESS;
}

/* A call that needs the link: is there one? */
static int check_open(const char *what)
{
    return pmi.wire && pmi.pid == getpid() ? MPI_SUCCESS : MPIR_Err("**pmi_closed", what);
}

/* Keys carry the rank, so that two processes never write the same one. */
static int name_key(int rank, const char *key, char *full, size_t size)
{
    int n = snprintf(full, size, "%d-%s", rank, key);
    return n < (int) size ? MPI_SUCCESS : MPIR_Err("**pmi_key", key, (int) size - 1);
}

int MPIR_Pmi_put(const char *key, const char *value)
{
    char full[MPIR_PMI_KEY_MAX];
    int err = check_open(key);

    if (!err)
        err = name_key(pmi.job.rank, key, full, sizeof(full));
    if (!err && strlen(value) >= MPIR_PMI_VALUE_MAX)
        err = MPIR_Err("**pmi_value", key, (int) strlen(value), MPIR_PMI_VALUE_MAX - 1);
    if (!err && pmi.fence_begun)
        err = MPIR_Err("**pmi_late", key); /* no second fence will come that would show it */
    return err ? err : pmi.wire->put(full, value);
}

int MPIR_Pmi_fence_begin(void)
{
    int err = check_open("fence");

    if (err || pmi.fence_begun)
        return err;
    err = pmi.wire->fence_begin();
    pmi.fence_begun = err == MPI_SUCCESS;
    return err;
}

static int fence_advance(bool wait)
{
    if (pmi.fence_done)
        return MPI_SUCCESS;
    int err = MPIR_Pmi_fence_begin();
    return err ? err : pmi.wire->fence_end(wait, &pmi.fence_done);
}

int MPIR_Pmi_fence_end(void)
{
    return fence_advance(true);
}

int MPIR_Pmi_fence_test(bool *done)
{
    int err = fence_advance(false);

    if (!err)
        *done = pmi.fence_done;
    return err;
}

static bool keys_at_once(void)
{
    return pmi.wire->keys_at_once && pmi.wire->keys_at_once();
}

/* Where no fence has done so, waits for the process to put it. */
int MPIR_Pmi_get(int rank, const char *key, char *value, size_t size)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    uint64_t deadline = MPL_now_ns() + (uint64_t) MPIR_CVAR_PMI_TIMEOUT * 1000000000u;
    char full[MPIR_PMI_KEY_MAX];
    bool found = false;
    int err = check_open(key);

    if (!err)
        err = name_key(rank, key, full, sizeof(full));
    if (!err)
        err = pmi.wire->get(rank, full, value, size, &found);
    while (!err && !found && keys_at_once() && MPL_now_ns() < deadline) {
        nanosleep(&pause, NULL);
        err = pmi.wire->get(rank, full, value, size, &found);
    }
    if (!err && !found)
        err = MPIR_Err("**pmi_nokey", full);
    return err;
}

int MPIR_Pmi_try(int rank, const char *key, char *value, size_t size, bool *there)
{
    char full[MPIR_PMI_KEY_MAX];
    bool found = false;
    int err = check_open(key);

    if (!err)
        err = name_key(rank, key, full, sizeof(full));
    if (err)
        return err;
    if (pmi.wire->try) {
        err = pmi.wire->try(rank, full, value, size, &found);
    } else if (keys_at_once()) {
        err = pmi.wire->get(rank, full, value, size, &found);
    } else {
        err = fence_advance(false);
        found = !err && pmi.fence_done;
        if (found)
            err = MPIR_Pmi_get(rank, key, value, size);
    }
    if (!err)
        *there = found;
    return err;
}

/* Asked for once, and only when someone wants to know: it may cost the launcher a question. */
int MPIR_Pmi_pset_count(void)
{
    if (!pmi.psets_asked && pmi.wire && pmi.pid == getpid()) {
        pmi.psets_asked = true;
        if (pmi.wire->find_psets)
            pmi.wire->find_psets();
    }
    return MPIR_Pmi_pset_known();
}

int MPIR_Pmi_local_ranks(int *ranks, int max)
{
    const MPIR_Pmi_job *job = &pmi.job;

    if (job->local_size == job->size) {
        for (int i = 0; i < job->size && i < max; i++)
            ranks[i] = i;
        return job->size;
    }
    if (check_open("local ranks"))
        return -1;
    if (pmi.wire->local_ranks)
        return pmi.wire->local_ranks(ranks, max);
    if (fetch_mapping() || !pmi.map_known)
        return -1;
    int node = MPIR_Pmi_mapping_node(&pmi.map, job->rank);
    int n = MPIR_Pmi_mapping_ranks(&pmi.map, node, job->size, ranks, max);
    /* a mapping that contradicts MPI_LOCALNRANKS tells nothing */
    return n == job->local_size ? n : -1;
}

void MPIR_Pmi_abort(int exit_code, const char *message)
{
    if (pmi.wire && pmi.pid == getpid())
        pmi.wire->abort(exit_code, message);
}

void MPIR_Pmi_finalize(void)
{
    if (!pmi.wire || pmi.pid != getpid())
        return;
    pmi.wire->finalize();
    pmi.wire = NULL;
    MPIR_Pmi_mapping_free(&pmi.map);
    pmi.map_known = false;
}
