/* The table of netmod/ucx, and its beginning and end. */
#include "ucx_impl.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

MPIDI_UCX_State MPIDI_UCX = { .wait_fd = -1, .life_fd = -1 };

static int failed(const char *what, ucs_status_t s)
{
    return MPIDI_UCX.env->error("UCX: %s: %s", what, ucs_status_string(s));
}

/* ---- the beginning --------------------------------------------------------------------------- */

static int open_worker(void)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS,
        .thread_mode = UCS_THREAD_MODE_SERIALIZED,
        .events = UCP_WAKEUP_RX | UCP_WAKEUP_TX,
    };
    ucs_status_t s = ucp_worker_create(MPIDI_UCX.context, &params, &MPIDI_UCX.worker);
    if (s != UCS_OK)
        return failed("no worker", s);
    s = ucp_worker_get_efd(MPIDI_UCX.worker, &MPIDI_UCX.wait_fd);
    return s == UCS_OK ? 0 : failed("no descriptor to sleep on", s);
}

/* UCX's thread, which accepts connections, takes no signals: they are for the user's threads. */
static int open_ucx(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = MPIDI_UCX_open_context();
    if (!err)
        err = open_worker();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/* The card comes last: who has put one is reached by it. */
static int start(void)
{
    int err = open_ucx();
    if (err || (err = MPIDI_UCX_recv_start()))
        return err;
    return MPIDI_UCX_card_put();
}

/* ---- the end --------------------------------------------------------------------------------- */

enum { DRAIN_ROUNDS = 1000 };
#define DRAIN_NS UINT64_C(20000000)

/* A socket that is closed with something unread takes what is still on its way out with it. */
static void drain(void)
{
    uint64_t end = MPIDI_UCX_now_ns() + DRAIN_NS;
    for (int i = 0; i < DRAIN_ROUNDS && ucp_worker_progress(MPIDI_UCX.worker) != 0; i++)
        if (MPIDI_UCX_now_ns() > end)
            break;
}

/* Bounded: closing waits for nobody. */
static void shut_down(void)
{
    MPIDI_UCX.closing = true;
    if (MPIDI_UCX.worker) {
        drain();
        MPIDI_UCX_offers_free();
        ucp_worker_destroy(MPIDI_UCX.worker);
    }
    if (MPIDI_UCX.context)
        ucp_cleanup(MPIDI_UCX.context);
    MPIDI_UCX_recv_end();
    MPIDI_UCX_pool_free();
    MPIDI_UCX_peers_free();
    if (MPIDI_UCX.life_fd >= 0)
        close(MPIDI_UCX.life_fd);
    memset(&MPIDI_UCX, 0, sizeof(MPIDI_UCX));
    MPIDI_UCX.wait_fd = MPIDI_UCX.life_fd = -1;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int init(const MPIDI_Transport_env *env, unsigned *caps)
{
    const char *timeout = env->cvar("MPIR_CVAR_NETMOD_TIMEOUT");
    MPIDI_UCX.env = env;
    MPIDI_UCX.life_timeout = timeout ? atoi(timeout) : 30;
    MPIDI_UCX_behave();
    int err = start();
    if (err)
        shut_down();
    else
        *caps = MPIDI_CAP_READ;
    return err;
}

static bool reaches(int world_rank)
{
    return world_rank != MPIDI_UCX.env->rank;
}

__attribute__((visibility("default"))) const MPIDI_Transport MPIDI_transport = {
    .name = "ucx",
    .version = MPIDI_TRANSPORT_VERSION,
    .eager_max = MPIDI_UCX_EAGER_MAX,
    .piece_max = MPIDI_UCX_PIECE_MAX,
    .read_max = SIZE_MAX,
    .init = init,
    .shutdown = shut_down,
    .reaches = reaches,
    .connect = MPIDI_UCX_connect,
    .send = MPIDI_UCX_send,
    .peer_state = MPIDI_UCX_peer_state,
    .host = MPIDI_UCX_host,
    .expose = MPIDI_UCX_expose,
    .hide = MPIDI_UCX_hide,
    .read = MPIDI_UCX_read,
    .progress = MPIDI_UCX_progress,
    .flushed = MPIDI_UCX_flushed,
    .sleep_prepare = MPIDI_UCX_sleep_prepare,
    .sleep = MPIDI_UCX_sleep,
    .wait_fd = MPIDI_UCX_wait_fd,
};
