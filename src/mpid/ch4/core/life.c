/* The device's life: cold start, suspend and resume, exit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../shm/posix/posix.h"
#include "mpidi_core.h"
#include "mpir_cvar.h"
#include "mpir_err.h"

MPIR_CVAR_STRING(TRANSPORT_PATH, "", NULL,
                 "A shared object that exports the table of a transport (MPIDI_transport), which "
                 "is asked before those of the library whether it reaches a process.")

MPIDI_Core MPIDI_core;

static MPIDI_Core *const core = &MPIDI_core;

/* ---- cold start ------------------------------------------------------------------------------ */

static void fill_process(const MPIR_Pmi_job *job)
{
    MPIR_Process.rank = job->rank;
    MPIR_Process.size = job->size;
    MPIR_Process.appnum = job->appnum;
    MPIR_Process.universe_size = job->universe_size;
    MPIR_Process.local_rank = job->local_rank;
    MPIR_Process.local_size = job->local_size;
}

static int make_peer_table(void)
{
    size_t size = (size_t) MPIR_Process.size * sizeof(MPIDI_Peer *);
    core->peers = MPL_sparse_alloc(size);
    return core->peers ? MPI_SUCCESS : MPIR_Err("**nomem_ch4", size, "the table of peers");
}

static int find_local_ranks(const MPIR_Pmi_job *job)
{
    if (job->local_size == job->size)
        return MPI_SUCCESS;
    size_t size = (size_t) job->local_size * sizeof(int);
    core->transports.local_ranks = malloc(size);
    if (!core->transports.local_ranks)
        return MPIR_Err("**nomem_ch4", size, "the ranks on this node");
    int n = MPIR_Pmi_local_ranks(core->transports.local_ranks, job->local_size);
    return n == job->local_size ? MPI_SUCCESS : MPIR_Err("**local_ranks", job->local_size, n);
}

/* A machine may be several nodes to the launcher: the first rank tells them apart. */
static int attach_node(const MPIR_Pmi_job *job)
{
    const char *why = NULL;
    char name[sizeof job->name + 16];
    int leader = core->transports.local_ranks ? core->transports.local_ranks[0] : 0;
    snprintf(name, sizeof name, "%s:%d", job->name, leader);
    MPIR_Nodedir_want want = { .job_name = name,
                               .local_rank = job->local_rank,
                               .n_local = job->local_size };
    if (job->local_size > 1)
        want.arena_size = MPIDI_POSIX_arena_size(job->local_size);
    int e = MPIR_Nodedir_attach(&want, &core->node, &why);
    if (e)
        return MPIR_Err("**nodedir", job->local_rank, job->local_size, why ? why : strerror(-e));
    core->has_node = true;
    return MPI_SUCCESS;
}

static int add_shm(void)
{
    int err = MPIDI_Transport_add(&MPIDI_POSIX_transport);
    if (!err)
        core->transports.shm = &core->transports.table[core->transports.n - 1];
    return err;
}

/* Alone on the node nobody needs shared memory, and with all of the job on it nobody a network. Who
 * was given a transport of his own needs neither for what that reaches. */
static int add_transports(void)
{
    int err = MPIDI_Transport_add(&MPIDI_self_transport);
    if (!err && MPIR_CVAR_TRANSPORT_PATH[0])
        err = MPIDI_Transport_load(MPIR_CVAR_TRANSPORT_PATH);
    if (!err && MPIR_Process.local_size > 1)
        err = add_shm();
    if (!err && MPIR_Process.local_size < MPIR_Process.size && !MPIR_CVAR_TRANSPORT_PATH[0])
        err = MPIDI_Netmod_load();
    if (!err && core->transports.card_is_put)
        err = MPIR_Pmi_fence_begin(); /* does not wait; awaited by who needs a card */
    return err;
}

/* Each phase relies on those before it; waiting for another rank happens in none. */
static int start(MPIR_Pmi_job *job)
{
    int err = MPIR_Pmi_init(job);
    if (err)
        return err;
    fill_process(job);
    if ((err = make_peer_table()) || (err = MPIDI_Match_init()) || (err = find_local_ranks(job))
        || (err = attach_node(job)))
        return err;
    core->crowded = job->local_size > 1 && MPL_cores_available() < job->local_size;
    MPIDI_Transports_env_init(job->name);
    MPIDI_Locality_init(job->local_size);
    MPIR_Process.crowded = MPIR_Process.size > 1 && MPIR_Process.local_size == MPIR_Process.size
        && sysconf(_SC_NPROCESSORS_ONLN) < MPIR_Process.size;
    return add_transports();
}

static void set_state(MPIR_Nodedir_state state)
{
    if (core->has_node)
        atomic_store_explicit(&core->node.dir->entry[core->node.local_rank].state, state,
                              memory_order_release);
}

static void stop(void)
{
    MPIDI_Transports_shutdown();
    if (core->has_node && core->node.dir) /* shm/posix has detached it if it was there */
        MPIR_Nodedir_detach(&core->node);
    core->has_node = false;
    core->started = false;
}

int MPID_Init(void)
{
    static MPIR_Pmi_job job; /* lives with the process: transports keep its name */
    int err = start(&job);
    if (err) {
        stop();
        return err;
    }
    core->started = true;
    set_state(MPIR_PROC_ACTIVE);
    return MPI_SUCCESS;
}

/* ---- between epochs -------------------------------------------------------------------------- */

void MPID_Set_dormant(bool dormant)
{
    set_state(dormant ? MPIR_PROC_DORMANT : MPIR_PROC_ACTIVE);
}

/* No request is left: MPIR_Request_drop_all() came before. Strays, bootstrap messages and what
 * waits for room stay. */
int MPID_Suspend(void)
{
    MPIDI_Match_trim();
    int err = MPIDI_Transports_suspend();
    MPID_Set_dormant(true);
    return err;
}

int MPID_Resume(void)
{
    MPID_Set_dormant(false);
    return MPIDI_Transports_resume();
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool all_is_out(void *arg)
{
    (void) arg;
    return !core->out_peers && core->xfers.n_sending == 0 && MPIDI_Transports_flushed();
}

static void what_is_out(void *arg, char *text, size_t size)
{
    (void) arg;
    if (core->out_peers)
        snprintf(text, size, "finalize: a message to rank %d that finds no room",
                 core->out_peers->world_rank);
    else if (core->xfers.n_sending)
        snprintf(text, size, "finalize: %u sends that are not matched yet", core->xfers.n_sending);
    else
        snprintf(text, size, "finalize: messages that the network has not taken, or for a rank "
                             "that has yet to call MPI");
}

int MPID_Flush(void)
{
    if (!core->started || all_is_out(NULL))
        return MPI_SUCCESS;
    MPID_Wait wait = { .done = all_is_out, .what = what_is_out };
    return MPID_Progress_wait(&wait);
}

void MPID_Finalize(void)
{
    if (!core->started)
        return;
    stop();
    MPIR_Pmi_finalize();
}

/* Launchers may drop what the ranks have said last when they hear of the end; Hydra does so every
 * third time, unless it has read it before. */
static void let_launcher_read_output(void)
{
    const struct timespec moment = { .tv_nsec = 20 * 1000 * 1000 };
    if (MPIR_Process.size > 1 && !core->node.inherited)
        nanosleep(&moment, NULL);
}

void MPID_Abort(int exit_code, const char *message)
{
    MPL_flush_stdio();
    fprintf(stderr, "perennial: rank %d: %s; the job ends with exit code %d\n", MPIR_Process.rank,
            message && message[0] ? message : "MPI_Abort was called", exit_code);
    let_launcher_read_output();
    MPIR_Pmi_abort(exit_code, message ? message : "");
    _exit(exit_code);
}
