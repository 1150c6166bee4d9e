/* The network module ucx by itself, in two processes: one leaves, stands still or dies while the other talks to it.
 * argv: the module, what happens. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "module.h"

enum { LARGE = 64 << 20, MIDDLE = 20000, FAREWELL = 50, FLOOD = 1000, STILL_S = 7 };

/* Between the two. */
typedef struct Shared {
    char card[2][1100];
    _Atomic bool there[2];
    _Atomic bool busy; /* the other has come to where it is interesting */
} Shared;

/* Lives with the process. */
static Shared *shared;
static int me, n_in;
static char *memory, handle[MPIDI_HANDLE_MAX];
static size_t handle_size;
static pid_t child;

static void deliver(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload, size_t size)
{
    (void) ext;
    CHECK(world_rank == 1 - me, "from %d", world_rank);
    CHECK(hdr->tag == n_in + 1, "message %d comes after %d", hdr->tag, n_in);
    n_in++;
    if (hdr->kind == MPIDI_AM_RTS)
        memcpy(handle, payload, handle_size = size);
}

static int card_put(const char *value)
{
    snprintf(shared->card[me], sizeof(shared->card[me]), "%s", value);
    shared->there[me] = true;
    return 0;
}

static int card_try(int world_rank, char *value, size_t size, bool *there)
{
    *there = shared->there[world_rank];
    snprintf(value, size, "%s", shared->card[world_rank]);
    return 0;
}

static void start(const char *module, int rank)
{
    static MPIDI_Transport_env env = { .size = 2, .deliver = deliver, .card_put = card_put, .card_try = card_try };
    env.rank = me = rank;
    start_module(module, &env, 1 - rank);
}

/* ---- what the child does, after the first message where it needs one ------------------------------ */

static void await_first(void)
{
    PROGRESS_UNTIL(n_in >= 1, 20);
}

/* Says much, and is gone at once. */
static void child_leaves(void)
{
    await_first();
    for (int i = 1; i <= FAREWELL; i++)
        send_soon(MPIDI_AM_EAGER, i, memory, i % 2 ? 8 : MIDDLE);
    flush();
    shut_down();
    exit(errors != 0);
}

static void child_listens(void)
{
    await_first();
    shared->busy = true;
    PROGRESS_UNTIL(n_in >= FLOOD, 60);
    CHECK(n_in == FLOOD, "%d messages of %d", n_in, FLOOD);
    send_soon(MPIDI_AM_EAGER, 1, memory, 1);
    flush();
    shut_down();
    exit(errors != 0);
}

static void child_offers(void)
{
    offer(1, memory, LARGE);
}

static void child_reads(void)
{
    await_first();
    read_all(handle, handle_size, memory, LARGE);
}

/* ---- what the parent does ------------------------------------------------------------------------ */

static void expect_gone(void)
{
    double start = now();
    PROGRESS_UNTIL(gone > 0 || t->peer_state(ep) == MPIDI_PEER_GONE, 20);
    CHECK(now() - start < 8, "it took %g s to find out that the peer is gone", now() - start);
    PROGRESS_UNTIL(false, 0.2);
    CHECK(try_send(MPIDI_AM_EAGER, 1, memory, 1) == MPIDI_SEND_GONE, "a message to who is gone is taken");
    CHECK(t->flushed(), "flush waits for who is gone");
}

/* Talk to it without listening much: what it says last must come all the same. */
static void hear_farewell(void)
{
    int status, tag = 1;
    for (int i = 1; waitpid(child, &status, WNOHANG) == 0; i++) {
        tag += try_send(MPIDI_AM_EAGER, tag + 1, memory, 8) != MPIDI_SEND_AGAIN;
        usleep(200);
        if (i % 4 == 0)
            t->progress();
    }
    PROGRESS_UNTIL(n_in >= FAREWELL, 5);
    CHECK(n_in == FAREWELL, "%d of %d messages of who has left", n_in, FAREWELL);
}

/* It stands still for longer than the time after which a host that does not answer counts as gone. */
static void outwait(void)
{
    send_soon(MPIDI_AM_EAGER, 1, memory, 1);
    PROGRESS_UNTIL(shared->busy, 20);
    kill(child, SIGSTOP);
    double start = now();
    for (int i = 2; i <= FLOOD; i++)
        while (try_send(MPIDI_AM_EAGER, i, memory, MIDDLE) == MPIDI_SEND_AGAIN) {
            t->progress();
            CHECK(t->peer_state(ep) != MPIDI_PEER_GONE, "who stands still is taken for gone");
            if (now() - start > STILL_S)
                kill(child, SIGCONT);
        }
    kill(child, SIGCONT);
    await_first();
    CHECK(n_in == 1 && gone == 0, "no answer");
}

/* It dies with everything full. */
static void flood(void)
{
    int n = 1, pending = 0;
    MPIDI_Send_result r;
    send_soon(MPIDI_AM_EAGER, 1, memory, 1);
    PROGRESS_UNTIL(shared->busy, 20);
    kill(child, SIGSTOP);
    completed = 0;
    while ((r = try_send(MPIDI_AM_EAGER, ++n, memory, MIDDLE)) != MPIDI_SEND_AGAIN && n < 100000) {
        pending += r == MPIDI_SEND_PENDING;
        t->progress();
    }
    CHECK(r == MPIDI_SEND_AGAIN, "there is always room");
    kill(child, SIGKILL);
    expect_gone();
    CHECK(completed == pending, "%d of %d sends are complete", completed, pending);
}

static void read_from_dying(void)
{
    await_first();
    MPIDI_Send_result r = read_all(handle, handle_size, memory, LARGE);
    for (int i = 0; i < 3; i++)
        t->progress();
    kill(child, SIGKILL);
    expect_gone();
    CHECK(r != MPIDI_SEND_PENDING || completed == 1, "the read does not end");
}

static void offer_to_dying(void)
{
    MPIDI_Region *region = offer(1, memory, LARGE);
    PROGRESS_UNTIL(shared->busy, 20);
    kill(child, SIGKILL);
    expect_gone();
    t->hide(ep, region);
}

static void greet_and_hear_farewell(void)
{
    send_soon(MPIDI_AM_EAGER, 1, memory, 1);
    hear_farewell();
}

static const struct Scene {
    const char *name;
    void (*child)(void);
    void (*parent)(void);
} scenes[] = {
    { "leave", child_leaves, greet_and_hear_farewell }, { "stop", child_listens, outwait },
    { "flood", child_listens, flood },                  { "offer", child_offers, read_from_dying },
    { "read", child_reads, offer_to_dying },
};

static int play(const struct Scene *scene, const char *module)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memory = calloc(1, LARGE);
    child = fork();
    start(module, child == 0);
    if (child == 0) {
        scene->child();
        shared->busy = true;
        for (;;) /* until killed */
            t->progress();
    }
    scene->parent();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    shut_down();
    return errors != 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
        if (strcmp(scenes[i].name, argv[2]) == 0)
            return play(&scenes[i], argv[1]);
    fprintf(stderr, "usage: ucx_pair MODULE leave|stop|flood|offer|read\n");
    return 2;
}
