/* The network module ucx by itself: this process is both ends. argv: the module. */
#include <poll.h>

#include "module.h"

enum { LARGE = 3000000, MESSAGES = 1000 };

static char card[1100];

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

static int card_try(int world_rank, char *value, size_t size, bool *there)
{
    CHECK(world_rank == 0 && size > strlen(card), "card of %d into %zu bytes", world_rank, size);
    snprintf(value, size, "%s", card);
    *there = true;
    return 0;
}

static void progress_until(const int *count, int n)
{
    PROGRESS_UNTIL(*count >= n, 20);
    CHECK(*count >= n, "%d of %d", *count, n);
}

static void send(int tag, const void *base, size_t size)
{
    MPIDI_Send_result r = send_soon(MPIDI_AM_EAGER, tag, base, size);
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
        send(in.tag + 1, data, n);
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
        send(tag + i, data, i % 3 == 0 ? 20000 : (size_t) i % 100);
    progress_until(&in.n, before + MESSAGES);
    CHECK(in.in_order, "messages are out of order");
}

/* Read, all or in part, or not at all: then the sender withdraws it. A handle serves once. */
static void check_large(size_t wanted)
{
    static char from[LARGE], to[LARGE + 1];
    int before = in.n;
    memset(to, 0, sizeof(to));
    for (size_t i = 0; i < LARGE; i++)
        from[i] = (char) (i * 13 + i / 1000);
    MPIDI_Region *region = offer(in.tag + 1, from, LARGE);
    progress_until(&in.n, before + 1);
    if (wanted > 0) {
        int done = completed;
        completed += read_all(in.payload, in.size, to, wanted) == MPIDI_SEND_DONE;
        progress_until(&completed, done + 1);
        CHECK(memcmp(to, from, wanted) == 0 && to[wanted] == 0, "%zu of %d bytes: wrong data", wanted, LARGE);
    }
    t->hide(ep, region);
    PROGRESS_UNTIL(false, 0.05);
    CHECK(read_all(in.payload, in.size, to, LARGE) == MPIDI_SEND_GONE, "a handle serves twice");
}

/* After prepare has said yes, a message that comes makes the descriptor readable. */
static void check_sleep(void)
{
    int before = in.n;
    PROGRESS_UNTIL(t->sleep_prepare(), 5);
    send(in.tag + 1, "x", 1);
    for (int i = 0; i < 100 && in.n == before; i++) {
        struct pollfd p = { .fd = t->wait_fd(), .events = POLLIN };
        if (t->sleep_prepare())
            CHECK(poll(&p, 1, 5000) == 1, "nothing wakes us");
        t->progress();
    }
    CHECK(in.n == before + 1, "nothing has come");
}

int main(int argc, char **argv)
{
    MPIDI_Transport_env env = { .size = 1, .deliver = deliver, .card_put = card_put, .card_try = card_try };
    unsigned caps = start_module(argc > 1 ? argv[1] : "", &env, 0);
    CHECK(caps & MPIDI_CAP_READ, "the module does not read");
    check_sizes();
    check_order();
    check_large(LARGE);
    check_large(LARGE / 3);
    check_large(0);
    check_large(LARGE);
    check_sleep();
    flush();
    CHECK(in.in_order, "messages are out of order");
    CHECK(gone == 0 && failed_reads == 0, "gone %d, failed reads %d", gone, failed_reads);
    CHECK(t->peer_state(ep) == MPIDI_PEER_ACTIVE, "the peer does not count as there");
    shut_down();
    return errors != 0;
}
