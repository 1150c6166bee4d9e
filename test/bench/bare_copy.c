/* Half a ping-pong of large messages between two pinned processes, without MPI, in microseconds by
 * size.
 *
 *     bare_copy ring      through shared memory: both copy at once, 16 slots of 32 KiB a direction
 *     bare_copy cma       the receiver reads the sender's memory (process_vm_readv)
 */
#include "bare.h"

#include <sys/uio.h>

#define SLOTS 16
#define SLOT_BYTES 32768
#define LARGEST (4 << 20)

typedef struct {
    _Alignas(128) _Atomic unsigned long full; /* bytes in it; 0: empty */
    char pad[120];
    char data[SLOT_BYTES];
} Slot;

typedef struct {
    Slot slots[SLOTS];
} Ring;

typedef struct {
    Bare_line order;    /* from parent to child; BARE_END ends the child */
    Bare_line prepared; /* how many processes are */
    Bare_line ready[2]; /* cma: message number that may be read, by direction */
    Bare_line done[2];  /* cma: message number that has been read */
    Ring rings[2];      /* by sender */
    char *out[2];       /* cma: where each process has what it sends */
    pid_t pid[2];
} Shared;

static Shared *shared;
static char *out, *in;
static int me;
static size_t size;

/* ---- through a ring ----------------------------------------------------------------------------
 */

static unsigned long sent, received; /* slots, since the start */

static void ring_send(void)
{
    for (size_t at = 0; at < size; at += SLOT_BYTES) {
        Slot *slot = &shared->rings[me].slots[sent++ % SLOTS];
        size_t n = size - at < SLOT_BYTES ? size - at : SLOT_BYTES;
        while (atomic_load_explicit(&slot->full, memory_order_acquire) != 0)
            ;
        memcpy(slot->data, out + at, n);
        atomic_store_explicit(&slot->full, n, memory_order_release);
    }
}

static void ring_receive(void)
{
    for (size_t at = 0; at < size; at += SLOT_BYTES) {
        Slot *slot = &shared->rings[1 - me].slots[received++ % SLOTS];
        size_t n;
        while ((n = atomic_load_explicit(&slot->full, memory_order_acquire)) == 0)
            ;
        memcpy(in + at, slot->data, n);
        atomic_store_explicit(&slot->full, 0, memory_order_release);
    }
}

/* ---- by cross-memory attach --------------------------------------------------------------------
 */

static void await(Bare_line *line, unsigned long value)
{
    while (atomic_load_explicit(&line->value, memory_order_acquire) < value)
        ;
}

static void cma_send(void)
{
    sent++;
    atomic_store_explicit(&shared->ready[me].value, sent, memory_order_release);
    await(&shared->done[me], sent);
}

static void cma_receive(void)
{
    struct iovec local = { in, size }, remote = { shared->out[1 - me], size };

    received++;
    await(&shared->ready[1 - me], received);
    if (process_vm_readv(shared->pid[1 - me], &local, 1, &remote, 1, 0) != (ssize_t) size)
        bare_die("process_vm_readv");
    atomic_store_explicit(&shared->done[1 - me].value, received, memory_order_release);
}

static void (*send_one)(void) = ring_send;
static void (*receive_one)(void) = ring_receive;

/* ---- measuring --------------------------------------------------------------------------------
 */

/* The child learns from a line of how many bytes and how many round trips are to come. */
static unsigned long order_of(size_t bytes, long times)
{
    return (unsigned long) bytes << 32 | (unsigned long) times;
}

static void serve(void)
{
    for (;;) {
        unsigned long order;
        while ((order = atomic_load_explicit(&shared->order.value, memory_order_acquire)) == 0)
            ;
        if (order == BARE_END)
            return;
        atomic_store_explicit(&shared->order.value, 0, memory_order_release);
        size = order >> 32;
        for (unsigned i = 0; i < (unsigned) order; i++) {
            receive_one();
            send_one();
        }
    }
}

static void give_order(unsigned long order)
{
    while (atomic_load(&shared->order.value) != 0)
        ;
    atomic_store_explicit(&shared->order.value, order, memory_order_release);
}

static double play(long n)
{
    double start = bare_now();

    give_order(order_of(size, n));
    for (long i = 0; i < n; i++) {
        send_one();
        receive_one();
    }
    return bare_now() - start;
}

static void check(void)
{
    memset(in, 0, size);
    play(1);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char) in[i] != (unsigned char) (i * 7 + (i >> 8) + 2)) {
            fprintf(stderr, "byte %zu of %zu is wrong\n", i, size);
            exit(1);
        }
}

static void prepare(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    out = bare_share(LARGEST);
    in = bare_share(LARGEST);
    for (size_t i = 0; i < LARGEST; i++)
        out[i] = (char) (i * 7 + (i >> 8) + 1 + (size_t) me);
    shared->out[me] = out;
    shared->pid[me] = getpid();
    atomic_fetch_add(&shared->prepared.value, 1);
    while (atomic_load(&shared->prepared.value) < 2)
        ;
}

int main(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "ring") != 0 && strcmp(argv[1], "cma") != 0)) {
        fprintf(stderr, "usage: bare_copy ring|cma\n");
        return 2;
    }
    if (argv[1][0] == 'c') {
        send_one = cma_send;
        receive_one = cma_receive;
    }
    shared = bare_share(sizeof(Shared));
    me = bare_fork(2, 1);
    prepare();
    if (me == 1) {
        serve();
        return 0;
    }
    for (size = 64; size <= LARGEST; size *= size == 64 || size >= 65536 ? 4 : 2) {
        check();
        bare_print("latency", (double) size, bare_time(play) / 2 * 1e6);
    }
    give_order(BARE_END);
    bare_join();
    return 0;
}
