/* The device core over a transport that lives in memory: rank 1 of a job of two is a mirror. What
 * is sent to it comes back as if it had sent it, so one process runs both ends of every protocol,
 * one step at a time.
 */
#ifndef CORE_LOOPBACK_H_INCLUDED
#define CORE_LOOPBACK_H_INCLUDED

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/mpid/ch4/core/mpidi_core.h"
#include "mpir_err.h"
#include "utest.h"

#define LB_EAGER_MAX 1024
#define LB_PIECE 128

typedef struct Lb_msg {
    struct Lb_msg *next;
    MPIDI_Am_hdr hdr;
    unsigned char ext[MPIDI_AM_EXT_MAX];
    size_t size;
    unsigned char payload[];
} Lb_msg;

/* Lives with the test program. */
static struct {
    const MPIDI_Transport_env *env;
    Lb_msg *head, *tail;
    int n; /* under way */
    int room; /* at most so many under way */
    unsigned caps;
    int pulls_left; /* get() works so often, then it is refused */
    int n_pulled, n_pushed; /* pieces */
    int n_kind[16]; /* messages sent, by kind */
    uint64_t token, claimed; /* the one open claim and its counter */
    bool hold; /* deliver nothing */
    bool gone;
} lb = { .room = 1000000 };

static int lb_init(const MPIDI_Transport_env *env, unsigned *caps)
{
    lb.env = env;
    *caps = MPIDI_CAP_PULL | MPIDI_CAP_CLAIM;
    return 0;
}

static bool lb_reaches(int world_rank)
{
    return world_rank == 1;
}

static int lb_connect(int world_rank, MPIDI_Ep **ep)
{
    (void) world_rank;
    *ep = NULL;
    return 0;
}

static MPIDI_Send_result lb_send(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    (void) ep;
    if (lb.gone)
        return MPIDI_SEND_GONE;
    if (lb.n >= lb.room)
        return MPIDI_SEND_AGAIN;
    Lb_msg *m = malloc(sizeof *m + am->data.size);
    m->next = NULL;
    m->hdr = am->hdr;
    if (am->hdr.ext_size)
        memcpy(m->ext, am->ext, am->hdr.ext_size);
    m->size = am->data.size;
    if (m->size)
        MPIDI_data_copy(&am->data, 0, m->payload, m->size);
    if (lb.head)
        lb.tail->next = m;
    else
        lb.head = m;
    lb.tail = m;
    lb.n++;
    lb.n_kind[am->hdr.kind]++;
    lb.n_pushed += am->hdr.kind == MPIDI_AM_DATA;
    return MPIDI_SEND_DONE;
}

static MPIDI_Peer_state lb_state(MPIDI_Ep *ep)
{
    (void) ep;
    return lb.gone ? MPIDI_PEER_GONE : MPIDI_PEER_ACTIVE;
}

static int lb_get(MPIDI_Ep *ep, void *local, uint64_t addr, size_t n)
{
    (void) ep;
    if (lb.pulls_left <= 0)
        return -EPERM;
    lb.pulls_left--;
    lb.n_pulled++;
    memcpy(local, (const void *) (uintptr_t) addr, n);
    return 0;
}

static uint64_t lb_claim_open(MPIDI_Ep *ep)
{
    (void) ep;
    lb.claimed = 0;
    return lb.caps & MPIDI_CAP_CLAIM ? ++lb.token : 0;
}

static uint64_t lb_claim(MPIDI_Ep *ep, uint64_t token, bool mine)
{
    (void) ep;
    (void) mine;
    UT_CHECK(token == lb.token);
    return lb.claimed++;
}

static void lb_claim_close(MPIDI_Ep *ep, uint64_t token)
{
    (void) ep;
    UT_CHECK(token == lb.token);
    lb.token++;
}

/* One message a round, so that a test can look between any two. */
static bool lb_progress(void)
{
    Lb_msg *m = lb.head;
    if (!m || lb.hold)
        return false;
    lb.head = m->next;
    lb.n--;
    m->hdr.src = 1;
    lb.env->deliver(1, &m->hdr, m->ext, m->payload, m->size);
    free(m);
    return true;
}

static const MPIDI_Transport lb_transport = {
    .name = "loopback",
    .version = MPIDI_TRANSPORT_VERSION,
    .eager_max = LB_EAGER_MAX,
    .piece_max = LB_PIECE,
    .init = lb_init,
    .reaches = lb_reaches,
    .connect = lb_connect,
    .send = lb_send,
    .peer_state = lb_state,
    .get = lb_get,
    .claim_open = lb_claim_open,
    .claim = lb_claim,
    .claim_close = lb_claim_close,
    .progress = lb_progress,
};

static MPIR_Group lb_group = { .obj = { .ref = 1 }, .size = 2, .rank = 0, .stride = 1 };
static MPIR_Comm lb_comm = {
    .obj = { .ref = 1 }, .rank = 0, .size = 2, .group = &lb_group, .name = "test"
};

static inline void lb_start(void)
{
    MPIR_Process.size = 2;
    MPIDI_core.peers = calloc(2, sizeof(MPIDI_Peer *));
    UT_INT_EQ(MPIDI_Match_init(), MPI_SUCCESS);
    MPIDI_Transports_env_init("test");
    UT_INT_EQ(MPIDI_Transport_add(&MPIDI_self_transport), MPI_SUCCESS);
    UT_INT_EQ(MPIDI_Transport_add(&lb_transport), MPI_SUCCESS);
    MPIDI_core.started = true;
    lb_comm.ctx = (MPIR_Context_id) 77 << 2;
    UT_INT_EQ(MPID_Comm_init(&lb_comm), MPI_SUCCESS);
}

/* A peer as on the first day, with these capabilities and so many pulls that work. */
static inline void lb_reset(unsigned caps, int pulls)
{
    int err = 0;
    MPIDI_Peer *peer = MPIDI_Peer_get(1, &err);
    peer->caps = (uint8_t) caps;
    peer->pull_refused = false;
    peer->gone = lb.gone = lb.hold = false;
    lb.caps = caps;
    lb.pulls_left = pulls;
    lb.room = 1000000;
    lb.n_pulled = lb.n_pushed = 0;
    memset(lb.n_kind, 0, sizeof lb.n_kind);
    UT_CHECK(MPIDI_Match_is_valid());
    UT_INT_EQ(MPIDI_core.match.n_strays, 0);
    UT_CHECK(!MPIDI_core.xfers.working && !MPIDI_core.out_peers);
    UT_INT_EQ(MPIDI_core.xfers.n_free, MPIDI_core.xfers.room);
    UT_INT_EQ(lb_comm.obj.ref, 1);
}

static inline MPID_Msg lb_msg(void *buf, int n, int rank, int tag)
{
    return (MPID_Msg) { .buf = buf, .count = n, .datatype = MPI_CHAR, .rank = rank, .tag = tag,
                        .comm = &lb_comm };
}

static inline void lb_run(void)
{
    while (MPID_Progress_poll())
        continue;
}

static inline MPIR_Request *lb_isend(void *buf, int n, int rank, int tag, MPID_Mode mode)
{
    MPIR_Request *req = NULL;
    MPID_Msg m = lb_msg(buf, n, rank, tag);
    m.mode = mode;
    UT_INT_EQ(MPID_Isend(&m, &req), MPI_SUCCESS);
    return req;
}

static inline MPIR_Request *lb_irecv(void *buf, int n, int rank, int tag)
{
    MPIR_Request *req = NULL;
    MPID_Msg m = lb_msg(buf, n, rank, tag);
    UT_INT_EQ(MPID_Irecv(&m, &req), MPI_SUCCESS);
    return req;
}

/* Complete? Then free it and give its error. */
static inline int lb_end(MPIR_Request *req, MPI_Status *status)
{
    if (!req)
        return MPI_SUCCESS;
    if (!MPIR_Request_is_complete(req)) {
        UT_FAIL("a request is not complete");
        return -1;
    }
    if (status)
        *status = req->status;
    int err = req->status.MPI_ERROR;
    MPIR_Request_release(req);
    return err;
}

static inline void lb_fill(unsigned char *buf, int n, int seed)
{
    for (int i = 0; i < n; i++)
        buf[i] = (unsigned char) (i * 7 + i / 251 + seed);
}

#endif /* CORE_LOOPBACK_H_INCLUDED */
