/* The table of shm/posix, and its beginning and end. */
#include "posix_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

MPIDI_POSIX_State MPIDI_POSIX;

size_t MPIDI_POSIX_arena_size(int n_local)
{
    return MPIDI_POSIX_places_offset(n_local, n_local);
}

int MPIDI_POSIX_world_rank(int local_rank)
{
    const int *local_ranks = MPIDI_POSIX.env->local_ranks;
    return local_ranks ? local_ranks[local_rank] : local_rank;
}

int MPIDI_POSIX_local_rank(int world_rank)
{
    const int *local_ranks = MPIDI_POSIX.env->local_ranks;
    if (!local_ranks)
        return world_rank >= 0 && world_rank < MPIDI_POSIX.n ? world_rank : -1;
    const int *found =
        bsearch(&world_rank, local_ranks, (size_t) MPIDI_POSIX.n, sizeof(int), MPL_compare_ints);
    return found ? (int) (found - local_ranks) : -1;
}

void *MPIDI_POSIX_map(off_t offset, size_t size)
{
    const MPIR_Nodedir_ref *ref = MPIDI_POSIX.ref;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ref->arena_fd,
                   ref->arena_offset + offset);
    return p == MAP_FAILED ? NULL : p;
}

MPIDI_POSIX_Ring *MPIDI_POSIX_ring_map(int receiver, int sender)
{
    return MPIDI_POSIX_map((off_t) MPIDI_POSIX_ring_offset(MPIDI_POSIX.n, receiver, sender),
                           MPIDI_POSIX_RING_STRIDE);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static int open_inbox(void)
{
    MPIR_Nodedir_ref *ref = MPIDI_POSIX.ref;
    size_t stride = MPIDI_POSIX_inbox_stride(MPIDI_POSIX.n);
    size_t mine = (size_t) MPIDI_POSIX.me * stride;
    /* The whole row is reserved, since wake-ups go to whoever has sent to us, too. */
    int err = ref->sparse_ok ? 0
                             : MPL_shm_reserve(ref->arena_fd, ref->arena_offset,
                                               (size_t) MPIDI_POSIX.n * stride);
    if (err != 0)
        return MPIDI_POSIX.env->error(
            "no shared memory for the inboxes of %d processes (%zu bytes)%s%s: %s", MPIDI_POSIX.n,
            (size_t) MPIDI_POSIX.n * stride, ref->path[0] ? " in " : "", ref->path, strerror(-err));
    MPIDI_POSIX.inboxes = MPIDI_POSIX_map(0, MPIDI_POSIX_inboxes_size(MPIDI_POSIX.n));
    if (!MPIDI_POSIX.inboxes)
        return MPIDI_POSIX.env->error("cannot map the inboxes of %d processes: %s", MPIDI_POSIX.n,
                                      strerror(errno));
    MPIDI_POSIX.inbox = (MPIDI_POSIX_Inbox *) (MPIDI_POSIX.inboxes + mine);
    return 0;
}

static int allocate_tables(void)
{
    size_t n = (size_t) MPIDI_POSIX.n;
    MPIDI_POSIX.ep = calloc(n, sizeof(*MPIDI_POSIX.ep));
    MPIDI_POSIX.rx = calloc(n, sizeof(*MPIDI_POSIX.rx));
    MPIDI_POSIX.rx_of = calloc(n, sizeof(*MPIDI_POSIX.rx_of));
    if (!MPIDI_POSIX.ep || !MPIDI_POSIX.rx || !MPIDI_POSIX.rx_of)
        return MPIDI_POSIX.env->error("no memory for tables of %zu processes", n);
    return 0;
}

/* Is the system call there at all? Whether a peer can be read shows when it is tried. */
static bool can_pull(void)
{
    char from = 1, to = 0;
    return MPL_cma_read(getpid(), &to, (uint64_t) (uintptr_t) &from, sizeof(to)) == 0 && to == 1;
}

/* Who has sent to us before we came may wait in flushed() for our coming. */
static void wake_early_senders(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with sleep_prepare: our pid before `used` */
    for (int i = 0; i < MPIDI_POSIX.n; i++) {
        uint64_t bits =
            atomic_load_explicit(&MPIDI_POSIX.inbox->used[i / 64], memory_order_relaxed);
        if (bits >> (i % 64) & 1)
            MPIDI_POSIX_wake(MPIDI_POSIX_inbox_of(i), false);
    }
}

static void release_all(void)
{
    for (int i = 0; i < MPIDI_POSIX.n; i++) {
        if (MPIDI_POSIX.ep && MPIDI_POSIX.ep[i])
            munmap(MPIDI_POSIX.ep[i]->tx.ring, MPIDI_POSIX_RING_STRIDE);
        if (MPIDI_POSIX.rx_of && MPIDI_POSIX.rx_of[i])
            munmap(MPIDI_POSIX.rx_of[i]->ring, MPIDI_POSIX_RING_STRIDE);
        if (MPIDI_POSIX.ep)
            free(MPIDI_POSIX.ep[i]);
        if (MPIDI_POSIX.rx_of)
            free(MPIDI_POSIX.rx_of[i]);
    }
    MPIDI_POSIX_places_release();
    free(MPIDI_POSIX.ep);
    free(MPIDI_POSIX.rx);
    free(MPIDI_POSIX.rx_of);
    if (MPIDI_POSIX.inboxes)
        munmap(MPIDI_POSIX.inboxes, MPIDI_POSIX_inboxes_size(MPIDI_POSIX.n));
    memset(&MPIDI_POSIX, 0, sizeof(MPIDI_POSIX));
}

static int posix_init(const MPIDI_Transport_env *env, unsigned *caps)
{
    MPIR_Nodedir_ref *ref = env->shared;
    MPIDI_POSIX.env = env;
    MPIDI_POSIX.ref = ref;
    if (env->version != MPIDI_TRANSPORT_VERSION)
        return env->error("shm/posix is built for transport interface %d, the library has %d",
                          MPIDI_TRANSPORT_VERSION, env->version);
    if (!ref || !ref->dir || ref->local_rank != env->local_rank ||
        ref->dir->n_local != (uint32_t) env->local_size)
        return env->error("shm/posix needs an attached node directory for local rank %d of %d",
                          env->local_rank, env->local_size);
    MPIDI_POSIX.n = env->local_size;
    MPIDI_POSIX.me = env->local_rank;
    MPIDI_POSIX.pid = getpid();
    MPIDI_POSIX.pid_space = MPIR_Nodedir_pid_space();
    int err = allocate_tables();
    if (err == 0)
        err = open_inbox();
    if (err != 0) {
        release_all();
        return err;
    }
    MPIDI_POSIX.fence_heavy = MPL_fence_register();
    atomic_store_explicit(&MPIDI_POSIX.inbox->fences, MPIDI_POSIX.fence_heavy,
                          memory_order_relaxed);
    wake_early_senders();
    *caps = MPIDI_CAP_CLAIM | (can_pull() ? MPIDI_CAP_PULL : 0);
    return 0;
}

/* ---- between epochs, and the end ------------------------------------------------------------- */

/* Nothing is torn down. Who writes to us meanwhile shall not think the ring fuller than it is. */
static int posix_suspend(void)
{
    MPIDI_POSIX_tell_all();
    return 0;
}

static int posix_resume(void)
{
    return 0;
}

static void posix_shutdown(void)
{
    MPIR_Nodedir_ref *ref = MPIDI_POSIX.ref;
    if (!ref || MPIDI_POSIX.pid != getpid())
        return;
    MPIDI_POSIX_tell_all();
    atomic_store_explicit(&MPIDI_POSIX.inbox->gone, 1, memory_order_release);
    release_all();
    MPIR_Nodedir_detach(ref);
}

static bool posix_reaches(int world_rank)
{
    return MPIDI_POSIX_local_rank(world_rank) >= 0;
}

static int posix_wait_fd(void)
{
    return -1;
}

const MPIDI_Transport MPIDI_POSIX_transport = {
    .name = "posix",
    .version = MPIDI_TRANSPORT_VERSION,
    .eager_max = 65536,
    .stream_min = 16385,
    .piece_max = MPIDI_POSIX_PAYLOAD_MAX,
    .init = posix_init,
    .suspend = posix_suspend,
    .resume = posix_resume,
    .shutdown = posix_shutdown,
    .reaches = posix_reaches,
    .connect = MPIDI_POSIX_connect,
    .send = MPIDI_POSIX_send,
    .send_short = MPIDI_POSIX_send_short,
    .peer_state = MPIDI_POSIX_peer_state,
    .get = MPIDI_POSIX_get,
    .claim_open = MPIDI_POSIX_claim_open,
    .claim = MPIDI_POSIX_claim,
    .claim_close = MPIDI_POSIX_claim_close,
    .progress = MPIDI_POSIX_progress,
    .sleep_prepare = MPIDI_POSIX_sleep_prepare,
    .sleep = MPIDI_POSIX_sleep,
    .sleep_finish = MPIDI_POSIX_sleep_finish,
    .wait_fd = posix_wait_fd,
    .flushed = MPIDI_POSIX_flushed,
};
