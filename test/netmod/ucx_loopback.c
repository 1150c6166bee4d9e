/* A network module by itself, without the library: this process is both ends. argv: the module. */
#include <dlfcn.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpidi_transport.h"

enum { LARGE = 3000000, MESSAGES = 1000 };

static const MPIDI_Transport *t;
static MPIDI_Ep *ep;
static char card[1100];
static int errors, completed, gone;

/* What came in last. */
static struct {
    int n;
    int32_t tag;
    uint8_t kind;
    bool in_order;
    char ext[MPIDI_AM_EXT_MAX];
    char payload[70000];
    size_t size;
} in = { .in_order = true };

#define CHECK(cond, ...)                                                                                                     \
    do {                                                                                                                     \
        if (!(cond)) {                                                                                                       \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #cond);                                              \
            fprintf(stderr, __VA_ARGS__);                                                                                    \
            fputc('\n', stderr);                                                                                             \
            errors++;                                                                                                        \
        }                                                                                                                    \
    } while (0)

/* ---- what the library gives a transport --------------------------------------------------------- */

static void deliver(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload, size_t size)
{
    CHECK(world_rank == 0, "from %d", world_rank);
    in.in_order &= hdr->kind == MPIDI_AM_DATA || hdr->tag == in.tag + 1;
    in.n++;
    in.tag = hdr->tag;
    in.kind = hdr->kind;
    in.size = size;
    memcpy(in.ext, ext, hdr->ext_size);
    memcpy(in.payload, payload, size < sizeof(in.payload) ? size : sizeof(in.payload));
}

static int card_put(const char *value)
{
    snprintf(card, sizeof(card), "%s", value);
    return 0;
}

static int card_get(int world_rank, char *value, size_t size)
{
    CHECK(world_rank == 0 && size > strlen(card), "card of %d into %zu bytes", world_rank, size);
    snprintf(value, size, "%s", card);
    return 0;
}

static int card_try(int world_rank, char *value, size_t size, bool *there)
{
    *there = true;
    return card_get(world_rank, value, size);
}

static void peer_gone(int world_rank)
{
    (void) world_rank;
    gone++;
}

static int error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 1;
}

static void warn(const char *format, ...)
{
    (void) format;
    errors++;
}

static const char *cvar(const char *name)
{
    return strcmp(name, "MPIR_CVAR_NETMOD_TIMEOUT") == 0 ? "5" : NULL;
}

static const MPIDI_Transport_env env = {
    .version = MPIDI_TRANSPORT_VERSION, .rank = 0, .size = 1, .local_rank = 0, .local_size = 1, .job_name = "loopback",
    .deliver = deliver, .card_put = card_put, .card_get = card_get, .card_try = card_try, .peer_gone = peer_gone,
    .error = error, .warn = warn, .cvar = cvar,
};

/* ---- messages ----------------------------------------------------------------------------------- */

static bool late(double limit)
{
    static struct timespec start;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (limit == 0)
        start = now;
    return (double) (now.tv_sec - start.tv_sec) > limit;
}

static void progress_until(const int *count, int n)
{
    late(0);
    while (*count < n && !late(20))
        t->progress();
    CHECK(*count >= n, "%d of %d", *count, n);
}

static void complete(void *arg)
{
    (void) arg;
    completed++;
}

static void read_complete(void *arg, bool ok)
{
    (void) arg;
    CHECK(ok, "a read has failed");
    completed++;
}

/* The core's queue of messages that find no room, in short. */
static void send(uint8_t kind, int tag, const void *base, size_t size)
{
    MPIDI_Am am = { .hdr = { .tag = tag, .kind = kind, .ext_size = sizeof(tag) }, .ext = &tag,
                    .data = { .base = base, .size = size }, .complete = complete };
    MPIDI_Send_result r;
    late(0);
    while ((r = t->send(ep, &am)) == MPIDI_SEND_AGAIN && !late(20))
        t->progress();
    CHECK(r == MPIDI_SEND_DONE || r == MPIDI_SEND_PENDING, "send says %d", (int) r);
    completed += r == MPIDI_SEND_DONE;
}

static void check_sizes(void)
{
    static char data[70000];
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char) (i * 7);
    for (size_t n = 0; n <= t->eager_max; n = n * 2 + 1) {
        int before = in.n, done = completed;
        send(MPIDI_AM_EAGER, in.tag + 1, data, n);
        progress_until(&in.n, before + 1);
        progress_until(&completed, done + 1);
        CHECK(in.size == n && memcmp(in.payload, data, n) == 0, "%zu bytes became %zu", n, in.size);
        CHECK(memcmp(in.ext, &in.tag, sizeof(in.tag)) == 0 && in.kind == MPIDI_AM_EAGER, "the envelope is damaged");
    }
}

static void check_order(void)
{
    static char data[20000];
    int before = in.n, tag = in.tag;
    for (int i = 1; i <= MESSAGES; i++)
        send(MPIDI_AM_EAGER, tag + i, data, i % 3 == 0 ? 20000 : (size_t) i % 100);
    progress_until(&in.n, before + MESSAGES);
    CHECK(in.in_order, "messages are out of order");
}

/* Exposed, announced, and read, all or in part; or not read. */
static void check_large(size_t wanted)
{
    static char from[LARGE], to[LARGE + 1];
    char handle[MPIDI_HANDLE_MAX];
    MPIDI_Region *region = NULL;
    int before = in.n, done = completed;
    memset(to, 0, sizeof(to));
    for (size_t i = 0; i < LARGE; i++)
        from[i] = (char) (i * 13 + i / 1000);
    size_t n = t->expose(ep, from, LARGE, handle, &region);
    CHECK(n > 0, "no handle");
    send(MPIDI_AM_RTS, in.tag + 1, handle, n);
    progress_until(&in.n, before + 1);
    progress_until(&completed, ++done);
    if (wanted > 0) {
        MPIDI_Read read = { .handle = in.payload, .handle_size = in.size, .local = to, .n = wanted,
                            .complete = read_complete };
        MPIDI_Send_result r = t->read(ep, &read);
        completed += r == MPIDI_SEND_DONE;
        progress_until(&completed, done + 1);
        CHECK(memcmp(to, from, wanted) == 0 && to[wanted] == 0, "%zu of %d bytes: wrong data", wanted, LARGE);
    }
    t->hide(ep, region);
    for (int i = 0; i < 1000; i++)
        t->progress();
    MPIDI_Read stale = { .handle = in.payload, .handle_size = in.size, .local = to, .n = LARGE, .complete = read_complete };
    CHECK(t->read(ep, &stale) == MPIDI_SEND_GONE, "a handle serves twice");
}

/* After prepare has said yes, a message that comes makes the descriptor readable. */
static void check_sleep(void)
{
    int before = in.n;
    late(0);
    while (!t->sleep_prepare() && !late(5))
        t->progress();
    send(MPIDI_AM_EAGER, in.tag + 1, "x", 1);
    for (int i = 0; i < 100 && in.n == before; i++) {
        struct pollfd p = { .fd = t->wait_fd(), .events = POLLIN };
        if (t->sleep_prepare())
            CHECK(poll(&p, 1, 5000) == 1, "nothing wakes us");
        t->progress();
    }
    CHECK(in.n == before + 1, "nothing has come");
    t->sleep_finish ? t->sleep_finish() : (void) 0;
}

static void check_flush(void)
{
    late(0);
    while (!t->flushed() && !late(20))
        t->progress();
    CHECK(t->flushed(), "what was sent is not out after 20 s");
}

int main(int argc, char **argv)
{
    unsigned caps = 0;
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    t = module ? dlsym(module, MPIDI_TRANSPORT_SYMBOL) : NULL;
    if (!t || t->init(&env, &caps) != 0) {
        fprintf(stderr, "%s does not load or start\n", argc > 1 ? argv[1] : "no module");
        return 1;
    }
    CHECK(t->connect(0, &ep) == 0, "no connection");
    check_sizes();
    check_order();
    if (caps & MPIDI_CAP_READ) {
        check_large(LARGE);
        check_large(LARGE / 3);
        check_large(0);
        check_large(LARGE);
    }
    check_sleep();
    check_flush();
    CHECK(in.in_order, "messages are out of order");
    CHECK(gone == 0, "the peer was taken for gone");
    CHECK(t->peer_state(ep) == MPIDI_PEER_ACTIVE, "the peer does not count as there");
    t->shutdown();
    return errors != 0;
}
