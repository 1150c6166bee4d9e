/* The table of netmod/ofi, and its beginning and end. */
#include "ofi_impl.h"

#include <stdlib.h>
#include <unistd.h>

MPIDI_OFI_State MPIDI_OFI = { .wait_fd = -1, .life_fd = -1 };

static int failed(const char *what, int r)
{
    return MPIDI_OFI.env->error("libfabric's provider %s: %s: %s", MPIDI_OFI.info->fabric_attr->prov_name, what,
                                fi_strerror(-r));
}

/* ---- the beginning ----------------------------------------------------------------------------- */

/* A queue that one can sleep on, if the provider has such. */
static int open_queue(void)
{
    struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD };
    attr.size = MPIDI_OFI_OPS_MAX + 4096;
    int r = fi_cq_open(MPIDI_OFI.domain, &attr, &MPIDI_OFI.cq, NULL);
    if (r == 0) {
        MPIDI_OFI.fids[0] = &MPIDI_OFI.cq->fid;
        if (fi_control(&MPIDI_OFI.cq->fid, FI_GETWAIT, &MPIDI_OFI.wait_fd) != 0)
            MPIDI_OFI.wait_fd = -1;
        return 0;
    }
    attr.wait_obj = FI_WAIT_NONE;
    r = fi_cq_open(MPIDI_OFI.domain, &attr, &MPIDI_OFI.cq, NULL);
    return r ? failed("no completion queue", r) : 0;
}

static int open_addresses(void)
{
    struct fi_av_attr attr = { .type = FI_AV_TABLE };
    int r = fi_av_open(MPIDI_OFI.domain, &attr, &MPIDI_OFI.av, NULL);
    return r ? failed("no address vector", r) : 0;
}

static int open_domain(void)
{
    int r = fi_fabric(MPIDI_OFI.info->fabric_attr, &MPIDI_OFI.fabric, NULL);
    if (r)
        return failed("the fabric does not open", r);
    r = fi_domain(MPIDI_OFI.fabric, MPIDI_OFI.info, &MPIDI_OFI.domain, NULL);
    return r ? failed("the domain does not open", r) : 0;
}

static int open_endpoint(void)
{
    int r = fi_endpoint(MPIDI_OFI.domain, MPIDI_OFI.info, &MPIDI_OFI.ep, NULL);
    if (r)
        return failed("no endpoint", r);
    if ((r = fi_ep_bind(MPIDI_OFI.ep, &MPIDI_OFI.cq->fid, FI_TRANSMIT | FI_RECV))
        || (r = fi_ep_bind(MPIDI_OFI.ep, &MPIDI_OFI.av->fid, 0)))
        return failed("the endpoint cannot be bound", r);
    r = fi_enable(MPIDI_OFI.ep);
    return r ? failed("the endpoint cannot be enabled", r) : 0;
}

/* How much room a buffer must have left to be kept: for the largest message. Asked of an enabled endpoint, for in some
 * providers (shm of libfabric 1.17) nothing is there before to take it. */
static int set_least_room(void)
{
    size_t least = MPIDI_OFI.message_max;
    if (!MPIDI_OFI.multi_recv)
        return 0;
    int r = fi_setopt(&MPIDI_OFI.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof(least));
    return r ? failed("receive buffers for several messages", r) : 0;
}

static void close_fid(void *member)
{
    struct fid **fid = member;
    if (*fid)
        fi_close(*fid);
    *fid = NULL;
}

/* Bounded: closing waits for nobody. */
static void shut_down(void)
{
    close_fid(&MPIDI_OFI.ep);
    close_fid(&MPIDI_OFI.cq);
    close_fid(&MPIDI_OFI.av);
    close_fid(&MPIDI_OFI.domain);
    close_fid(&MPIDI_OFI.fabric);
    for (int i = 0; i < MPIDI_OFI.n_recv; i++)
        free(MPIDI_OFI.recv[i]);
    MPIDI_OFI_pools_free();
    MPIDI_OFI_peers_free();
    if (MPIDI_OFI.life_fd >= 0)
        close(MPIDI_OFI.life_fd);
    if (MPIDI_OFI.info)
        fi_freeinfo(MPIDI_OFI.info);
    memset(&MPIDI_OFI, 0, sizeof(MPIDI_OFI));
    MPIDI_OFI.wait_fd = MPIDI_OFI.life_fd = -1;
}

/* The card comes last: who has put one is reached by it. */
static int start(MPIDI_Transport *table)
{
    int err = MPIDI_OFI_choose_provider();
    if (err)
        return err;
    MPIDI_OFI_settle(table);
    if ((err = open_domain()) || (err = open_queue()) || (err = open_addresses()) || (err = open_endpoint())
        || (err = set_least_room()) || (err = MPIDI_OFI_recv_start()))
        return err;
    return MPIDI_OFI_card_put();
}

static int ofi_init(const MPIDI_Transport_env *env, unsigned *caps);

static bool reaches(int world_rank)
{
    return world_rank != MPIDI_OFI.env->rank;
}

/* init adjusts it before the core takes its copy. Lives with the process. */
__attribute__((visibility("default"))) MPIDI_Transport MPIDI_transport = {
    .name = "ofi",
    .version = MPIDI_TRANSPORT_VERSION,
    .eager_max = MPIDI_OFI_EAGER,
    .piece_max = MPIDI_OFI_EAGER,
    .init = ofi_init,
    .shutdown = shut_down,
    .reaches = reaches,
    .connect = MPIDI_OFI_connect,
    .send = MPIDI_OFI_send,
    .peer_state = MPIDI_OFI_peer_state,
    .host = MPIDI_OFI_host,
    .expose = MPIDI_OFI_expose,
    .hide = MPIDI_OFI_hide,
    .read = MPIDI_OFI_read,
    .progress = MPIDI_OFI_progress,
    .flushed = MPIDI_OFI_flushed,
    .sleep_prepare = MPIDI_OFI_sleep_prepare,
    .sleep = MPIDI_OFI_sleep,
    .wait_fd = MPIDI_OFI_wait_fd,
};

static int ofi_init(const MPIDI_Transport_env *env, unsigned *caps)
{
    const char *timeout = env->cvar("MPIR_CVAR_NETMOD_TIMEOUT");
    MPIDI_OFI.env = env;
    MPIDI_OFI.life_timeout = timeout ? atoi(timeout) : 30;
    int err = start(&MPIDI_transport);
    if (err) {
        shut_down();
        return err;
    }
    if (MPIDI_OFI.wait_fd < 0) { /* the core sleeps for short times instead */
        MPIDI_transport.sleep_prepare = NULL;
        MPIDI_transport.sleep = NULL;
    }
    *caps = MPIDI_OFI.rma ? MPIDI_CAP_READ : 0;
    return 0;
}
