/* What the shared-memory transport costs by itself, against the machine's floor: two pinned
 * processes, no MPI layer.
 *
 *     ring_pingpong [blocks]
 *
 * Measured in short blocks, bare and ours in turn, of which the median and the tenth percentile are
 * printed: so other work on the machine hits both alike, and disturbed blocks count little.
 *
 * bare      one cache line that two processes write in turn 8 B       an 8-byte active message
 * there and back rate      8-byte messages one way, as fast as they are taken N bytes   a message
 * of N bytes one way, cut into pieces, copied out by the receiver; both copy at once
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/mpid/ch4/shm/posix/posix.h"
#include "mpir_nodedir.h"
#include "mpl.h"

#define LARGE (4u << 20)

static const MPIDI_Transport *T = &MPIDI_POSIX_transport;
static MPIDI_Transport_env env;
static MPIR_Nodedir_ref ref;
static MPIDI_Ep *ep;
static int me;

static volatile uint64_t last; /* 8-byte payload that came last */
static uint64_t received, received_bytes;
static char *out, *in;

static void deliver(int rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload,
                    size_t size)
{
    (void) rank;
    (void) ext;
    received++;
    if (size == 8) {
        memcpy((void *) &last, payload, 8);
    } else {
        MPL_copy(in + (uint32_t) hdr->tag, payload, size);
        received_bytes += size;
    }
}

static int error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static void pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static void push(uint32_t tag, const void *base, size_t size)
{
    MPIDI_Am am = { .hdr = { .ctx = 1, .src = me, .tag = (int32_t) tag, .kind = MPIDI_AM_EAGER },
                    .data = { .base = base, .size = size } };
    while (T->send(ep, &am) != MPIDI_SEND_DONE)
        MPL_relax();
}

static void wait_for(uint64_t value)
{
    while (last != value)
        T->progress();
}

static double bare(_Atomic uint64_t *line, int n)
{
    uint64_t start = MPL_now_ns();
    for (uint64_t i = 1; i <= (uint64_t) n; i++) {
        if (me == 0) {
            atomic_store_explicit(line, 2 * i - 1, memory_order_release);
            while (atomic_load_explicit(line, memory_order_acquire) != 2 * i)
                ;
        } else {
            while (atomic_load_explicit(line, memory_order_acquire) != 2 * i - 1)
                ;
            atomic_store_explicit(line, 2 * i, memory_order_release);
        }
    }
    double t = (double) (MPL_now_ns() - start) / n / 2;
    if (me == 0)
        atomic_store(line, 0);
    return t;
}

static double pingpong(int n)
{
    static uint64_t count;
    uint64_t start = MPL_now_ns();
    for (int i = 0; i < n; i++) {
        count++;
        uint64_t value = count;
        if (me == 0)
            push(0, &value, 8);
        wait_for(value);
        if (me == 1)
            push(0, &value, 8);
    }
    return (double) (MPL_now_ns() - start) / n / 2;
}

static void meet(void)
{
    static uint64_t epoch = UINT64_C(1) << 62;
    epoch++;
    if (me == 0)
        push(0, &epoch, 8);
    wait_for(epoch);
    if (me == 1)
        push(0, &epoch, 8);
}

static double rate(int n)
{
    meet();
    uint64_t start = MPL_now_ns(), goal = received + (uint64_t) n;
    for (uint64_t i = 1; i <= (uint64_t) n && me == 0; i++)
        push(0, &i, 8);
    while (me == 1 && received < goal)
        T->progress();
    meet();
    return (double) (MPL_now_ns() - start) / n;
}

/* Half a ping-pong of a message in pieces. */
static double bulk(size_t size, size_t piece, int n)
{
    meet();
    uint64_t start = MPL_now_ns();
    for (int i = 0; i < n; i++) {
        for (int turn = 0; turn < 2; turn++) {
            uint64_t goal = received_bytes + size;
            for (size_t at = 0; at < size && me == turn; at += piece)
                push((uint32_t) at, out + at, MPL_MIN(piece, size - at));
            while (me != turn && received_bytes < goal)
                T->progress();
        }
    }
    return (double) (MPL_now_ns() - start) / n / 2;
}

static void attach(void)
{
    const char *why;
    MPIR_Nodedir_want want = {
        .job_name = "bench", .local_rank = me, .n_local = 2, .arena_size = MPIDI_POSIX_arena_size(2)
    };
    if (MPIR_Nodedir_attach(&want, &ref, &why) != 0)
        error("attach: %s", why);
    env = (MPIDI_Transport_env) { .version = MPIDI_TRANSPORT_VERSION,
                                  .rank = me,
                                  .size = 2,
                                  .local_rank = me,
                                  .local_size = 2,
                                  .deliver = deliver,
                                  .error = error,
                                  .warn = warn,
                                  .shared = &ref };
    unsigned caps;
    if (T->init(&env, &caps) != 0 || T->connect(1 - me, &ep) != 0)
        exit(1);
}

#define BLOCKS_MAX 10000

static int by_value(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static double percentile(double *t, int n, int percent)
{
    qsort(t, (size_t) n, sizeof(double), by_value);
    return t[n * percent / 100];
}

static void short_messages(_Atomic uint64_t *line, int blocks)
{
    static double b[BLOCKS_MAX], p[BLOCKS_MAX], r[BLOCKS_MAX], ratio[BLOCKS_MAX];
    for (int i = 0; i < blocks; i++) {
        b[i] = bare(line, 1000);
        p[i] = pingpong(1000);
        ratio[i] = p[i] / b[i];
        r[i] = rate(5000);
    }
    if (me != 0)
        return;
    printf("half a ping-pong, ns:  bare %.1f (10 %%: %.1f)   8 B %.1f (%.1f)   ratio %.2f\n",
           percentile(b, blocks, 50), percentile(b, blocks, 10), percentile(p, blocks, 50),
           percentile(p, blocks, 10), percentile(ratio, blocks, 50));
    printf("8 B one way: %.1f M/s (90 %%: %.1f)\n", 1e3 / percentile(r, blocks, 50),
           1e3 / percentile(r, blocks, 10));
}

static double median_bulk(size_t size, size_t piece, int blocks)
{
    static double t[BLOCKS_MAX];
    int n = (int) (size < 65536 ? 1000 : MPL_MAX((1u << 20) / size, 1u));
    blocks /= size < 65536 ? 10 : 2;
    for (int i = 0; i < blocks; i++)
        t[i] = bulk(size, piece, n);
    return percentile(t, blocks, 25) / 1e3;
}

static void run(_Atomic uint64_t *line, int blocks)
{
    pin(me);
    attach();
    out = malloc(LARGE);
    in = malloc(LARGE);
    memset(out, 1, LARGE);
    memset(in, 1, LARGE);
    pingpong(10000);
    short_messages(line, blocks);
    static const size_t small[] = { 64, 256, 1024, 4096, 8192, 16384, 32768 };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(small); i++) {
        double t = median_bulk(small[i], small[i], blocks);
        if (me == 0)
            printf("%8zu bytes  %8.2f us\n", small[i], t);
    }
    for (size_t size = 65536; size <= LARGE; size *= 4) {
        if (me == 0)
            printf("%8zu bytes, pieces of 8 16 32 64 KiB:", size);
        for (size_t piece = 8192; piece <= 65536; piece *= 2) {
            double t = median_bulk(size, piece, blocks);
            if (me == 0)
                printf("  %8.2f", t);
        }
        if (me == 0)
            printf(" us\n");
    }
    T->shutdown();
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    n = MPL_MIN(MPL_MAX(n, 20), BLOCKS_MAX);
    char fd[16];
    MPIR_Nodedir_ref made;
    if (MPIR_Nodedir_create(2, MPL_random(), &made) != 0)
        error("no shared memory");
    snprintf(fd, sizeof(fd), "%d", made.fd);
    setenv(MPIR_NODEDIR_ENV, fd, 1);
    void *line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(stdout);
    pid_t child = fork();
    me = child == 0;
    run(line, n);
    if (child == 0)
        _exit(0);
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}
