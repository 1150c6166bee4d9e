/* A small complete transport, the worked example of doc/device.md: Unix datagram sockets on one machine. It is no shm and no
 * netmod, sees only the transport interface, and shows fine-grained re-init: its socket and what it knows of peers live over
 * suspend and resume, which it counts.
 *
 * A process binds one socket, named by job and rank in Linux's abstract name space, so no file is left whatever happens. The
 * kernel keeps datagrams in order per pair and loses none; a full queue says EAGAIN.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dgram.h"
#include "mpidi_transport.h"

enum { PIECE = 16384 };

/* What goes over the socket: this head, the protocol data, the payload. */
typedef struct Head {
    int32_t from; /* world rank */
    int32_t size; /* of the payload */
    MPIDI_Am_hdr hdr;
} Head;

struct MPIDI_Ep {
    int rank;
    bool reached; /* a datagram was taken: the peer was there */
    struct sockaddr_un address;
    socklen_t address_size;
};

/* Lives with the process: made by init, kept by suspend and resume, gone at shutdown. */
static struct {
    const MPIDI_Transport_env *env;
    int socket;
    struct MPIDI_Ep **ep; /* by world rank */
} root = { .socket = -1 };

Dgram_counts dgram_counts;

static socklen_t name_of(int rank, struct sockaddr_un *a)
{
    memset(a, 0, sizeof(*a));
    a->sun_family = AF_UNIX;
    int n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "dgram/%.80s/%d", root.env->job_name, rank);
    return (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + (size_t) n);
}

/* ---- life --------------------------------------------------------------------------------------------------- */

static int dgram_init(const MPIDI_Transport_env *env, unsigned *caps)
{
    struct sockaddr_un mine;
    dgram_counts.init++;
    *caps = 0; /* nobody pulls, nobody shares work: the core then pushes every piece */
    root.env = env;
    root.ep = calloc((size_t) env->size, sizeof(*root.ep));
    root.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (!root.ep || root.socket < 0)
        return env->error("dgram transport: no socket: %s", strerror(errno));
    socklen_t n = name_of(env->rank, &mine);
    if (bind(root.socket, (struct sockaddr *) &mine, n) != 0)
        return env->error("dgram transport: cannot bind: %s", strerror(errno));
    return 0;
}

/* The kernel keeps what comes in meanwhile; there is nothing to give up. */
static int dgram_suspend(void)
{
    dgram_counts.suspend++;
    return 0;
}

static int dgram_resume(void)
{
    dgram_counts.resume++;
    return 0;
}

static void dgram_shutdown(void)
{
    dgram_counts.shutdown++;
    for (int r = 0; root.ep && r < root.env->size; r++)
        free(root.ep[r]);
    free(root.ep);
    root.ep = NULL;
    close(root.socket);
    root.socket = -1;
}

/* ---- peers -------------------------------------------------------------------------------------------------- */

static bool dgram_reaches(int world_rank)
{
    return world_rank >= 0 && world_rank < root.env->size;
}

static int dgram_connect(int world_rank, MPIDI_Ep **ep)
{
    MPIDI_Ep *e = calloc(1, sizeof(*e));
    if (!e)
        return root.env->error("dgram transport: out of memory");
    dgram_counts.connect++;
    e->rank = world_rank;
    e->address_size = name_of(world_rank, &e->address);
    *ep = root.ep[world_rank] = e;
    return 0;
}

static MPIDI_Peer_state dgram_peer_state(MPIDI_Ep *ep)
{
    if (sendto(root.socket, NULL, 0, MSG_DONTWAIT, (struct sockaddr *) &ep->address, ep->address_size) == 0
        || errno == EAGAIN || errno == EWOULDBLOCK) /* an empty datagram says nothing but that we asked */
        return MPIDI_PEER_ACTIVE;
    return ep->reached ? MPIDI_PEER_GONE : MPIDI_PEER_ABSENT;
}

/* ---- messages ----------------------------------------------------------------------------------------------- */

static MPIDI_Send_result dgram_send(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    Head head = { .from = root.env->rank, .size = (int32_t) am->data.size, .hdr = am->hdr };
    char piece[PIECE];
    if (am->data.pack)
        MPIDI_data_copy(&am->data, 0, piece, am->data.size);
    struct iovec iov[3] = {
        { &head, sizeof(head) },
        { (void *) (size_t) am->ext, am->hdr.ext_size },
        { am->data.pack ? piece : (void *) (size_t) am->data.base, am->data.size },
    };
    struct msghdr msg = { .msg_name = &ep->address, .msg_namelen = ep->address_size, .msg_iov = iov,
                          .msg_iovlen = 3 };
    if (sendmsg(root.socket, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
        dgram_counts.send++;
        ep->reached = true;
        return MPIDI_SEND_DONE;
    }
    /* A peer that has never been there may still come: keep the message. One that was there has left. */
    if (errno == ECONNREFUSED && ep->reached)
        return MPIDI_SEND_GONE;
    return MPIDI_SEND_AGAIN;
}

static bool receive_one(void)
{
    _Alignas(16) char buf[sizeof(Head) + MPIDI_AM_EXT_MAX + PIECE];
    ssize_t n = recv(root.socket, buf, sizeof(buf), MSG_DONTWAIT);
    const Head *head = (const Head *) (void *) buf;
    if (n < 0)
        return false;
    if ((size_t) n < sizeof(*head)
        || (size_t) n != sizeof(*head) + head->hdr.ext_size + (size_t) head->size)
        return true; /* an empty one, or none of ours */
    dgram_counts.deliver++;
    const char *ext = buf + sizeof(*head);
    root.env->deliver(head->from, &head->hdr, ext, ext + head->hdr.ext_size, (size_t) head->size);
    return true;
}

static bool dgram_progress(void)
{
    bool any = false;
    for (int i = 0; i < 16 && receive_one(); i++)
        any = true;
    return any;
}

/* ---- sleeping: the socket is readable when there is work ------------------------------------------------------- */

static int dgram_wait_fd(void)
{
    return root.socket;
}

static bool dgram_sleep_prepare(void)
{
    struct pollfd p = { .fd = root.socket, .events = POLLIN };
    return poll(&p, 1, 0) == 0;
}

static void dgram_sleep(int64_t timeout_ns)
{
    struct pollfd p = { .fd = root.socket, .events = POLLIN };
    poll(&p, 1, (int) (timeout_ns / 1000000) + 1);
}

static void dgram_sleep_finish(void) {}

__attribute__((visibility("default"))) const MPIDI_Transport MPIDI_transport = {
    .name = "dgram",
    .version = MPIDI_TRANSPORT_VERSION,
    .eager_max = PIECE,
    .piece_max = PIECE,
    .init = dgram_init,
    .suspend = dgram_suspend,
    .resume = dgram_resume,
    .shutdown = dgram_shutdown,
    .reaches = dgram_reaches,
    .connect = dgram_connect,
    .send = dgram_send,
    .peer_state = dgram_peer_state,
    .progress = dgram_progress,
    .sleep_prepare = dgram_sleep_prepare,
    .sleep = dgram_sleep,
    .sleep_finish = dgram_sleep_finish,
    .wait_fd = dgram_wait_fd,
};
