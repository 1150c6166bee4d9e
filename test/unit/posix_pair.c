/* The transport as a whole: processes forked here, each with its own state, without a launcher. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/mpid/ch4/shm/posix/posix_impl.h"
#include "mpichconf.h"
#include "utest.h"

#define LIMIT_SECONDS 60 /* of one test: a hang becomes a failure */

static const MPIDI_Transport *T = &MPIDI_POSIX_transport;
static MPIR_Nodedir_ref made, ref;
static MPIDI_Transport_env env;
static char job_name[32];
static char big[MPIDI_POSIX_PAYLOAD_MAX + 64];

/* ---- processes ------------------------------------------------------------------------------- */

static int complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    UT_FAIL("error from the transport");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return 1;
}

static int warnings;

static void note(const char *format, ...)
{
    (void) format;
    warnings++;
}

static int got;
static uint64_t sum;

/* Every message says in its tag what size it has, and in src its number; payload is filled from
 * there. */
static void deliver(int rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload,
                    size_t size)
{
    (void) ext;
    UT_INT_EQ(hdr->ctx, (uint64_t) rank);
    UT_INT_EQ(hdr->tag, size);
    UT_CHECK(memcmp(payload, big + hdr->src % 64, size) == 0);
    sum += (uint64_t) hdr->src;
    got++;
}

/* Become process `me` of n. */
static void attach(int me, int n)
{
    const char *why;
    unsigned caps;
    MPIR_Nodedir_want want = { .job_name = job_name,
                               .local_rank = me,
                               .n_local = n,
                               .arena_size = MPIDI_POSIX_arena_size(n) };
    alarm(LIMIT_SECONDS);
    if (MPIR_Nodedir_attach(&want, &ref, &why) != 0) {
        UT_FAIL("%s", why);
        exit(1);
    }
    env = (MPIDI_Transport_env) { .version = MPIDI_TRANSPORT_VERSION,
                                  .rank = me,
                                  .size = n,
                                  .local_rank = me,
                                  .local_size = n,
                                  .deliver = deliver,
                                  .error = complain,
                                  .warn = note,
                                  .shared = &ref };
    UT_INT_EQ(T->init(&env, &caps), 0);
    atomic_store(&ref.dir->entry[me].state, MPIR_PROC_ACTIVE);
}

/* Run body(me) in n processes on a fresh node; this process is none of them. */
static void run(int n, void (*body)(int me))
{
    char fd[16];
    pid_t pid[64];
    UT_INT_EQ(MPIR_Nodedir_create(n, MPL_random(), &made), 0);
    snprintf(fd, sizeof(fd), "%d", made.fd);
    setenv(MPIR_NODEDIR_ENV, fd, 1);
    fflush(NULL);
    for (int i = 0; i < n; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            ut_state.failures = 0;
            body(i);
            fflush(NULL);
            _exit(ut_state.failures != 0);
        }
    }
    for (int ended = 0; ended < n; ended++) {
        /* In the order in which they end: the others may wait for a dead one to be gone. */
        int status;
        pid_t one = wait(&status);
        for (int i = 0; i < n; i++)
            if (pid[i] == one && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
                UT_FAIL("process %d of %d ended with status %#x", i, n, status);
    }
    MPIR_Nodedir_detach(&made);
    unsetenv(MPIR_NODEDIR_ENV);
}

static MPIDI_Ep *connect_to(int rank)
{
    MPIDI_Ep *ep = NULL;
    UT_INT_EQ(T->connect(rank, &ep), 0);
    return ep;
}

static MPIDI_Send_result try_send(MPIDI_Ep *ep, int number, size_t size)
{
    MPIDI_Am am = { .hdr = { .ctx = (uint64_t) env.rank,
                             .src = number,
                             .tag = (int32_t) size,
                             .kind = MPIDI_AM_EAGER },
                    .data = { .base = big + number % 64, .size = size } };
    return T->send(ep, &am);
}

/* What the core's wait function does, with as little spinning as can be: so sleeping is what is
 * tested. */
static void wait_a_while(void)
{
    if (T->progress())
        return;
    if (T->sleep_prepare()) {
        T->sleep(20 * INT64_C(1000000000));
        T->sleep_finish();
    }
}

static void send(MPIDI_Ep *ep, int number, size_t size)
{
    MPIDI_Send_result r;
    while ((r = try_send(ep, number, size)) == MPIDI_SEND_AGAIN)
        wait_a_while();
    UT_INT_EQ(r, MPIDI_SEND_DONE);
}

static void wait_for(int n)
{
    while (got < n)
        wait_a_while();
}

static size_t some_size(int i)
{
    static const size_t edge[] = { 0,  1,  7,  8,  9,  31,   32,    33,   39,
                                   40, 41, 63, 64, 65, 4096, 32768, 65536 };
    return i % 3 ? (size_t) i * 31 % 200 : edge[(size_t) i / 3 % MPL_ARRAY_SIZE(edge)];
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void all_to_all_body(int me)
{
    enum { ROUNDS = 2000, N = 4 };
    MPIDI_Ep *ep[N];
    attach(me, N);
    for (int i = 0; i < N; i++)
        ep[i] = connect_to(i); /* myself, too */
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < N; i++)
            send(ep[i], k, some_size(k + me));
    wait_for(ROUNDS * N);
    UT_INT_EQ(got, ROUNDS * N);
    UT_INT_EQ(sum, (uint64_t) N * ROUNDS * (ROUNDS - 1) / 2);
    T->shutdown();
}

static void all_to_all(void)
{
    run(4, all_to_all_body);
}

/* Both sleep whenever nothing is there: a lost wake-up shows as the 20 s sleep, and so as the
 * time limit. */
static void sleepers_body(int me)
{
    enum { ROUNDS = 100000 };
    attach(me, 2);
    MPIDI_Ep *ep = connect_to(1 - me);
    for (int k = 0; k < ROUNDS; k++) {
        if (me == 0)
            send(ep, k, 8);
        wait_for(k + 1);
        if (me == 1)
            send(ep, k, 8);
    }
    T->shutdown();
}

static void no_wakeup_is_lost(void)
{
    run(2, sleepers_body);
}

/* The sender fills the ring and sleeps until the reader has made room. */
static void room_body(int me)
{
    enum { ROUNDS = 30000 };
    attach(me, 2);
    MPIDI_Ep *ep = connect_to(1 - me);
    for (int k = 0; k < ROUNDS && me == 0; k++)
        send(ep, k, k % 100 == 0 ? 65536 : k % 3 == 0 ? 2000 : 8);
    if (me == 1)
        wait_for(ROUNDS);
    T->shutdown();
}

static void sender_is_woken_when_there_is_room(void)
{
    run(2, room_body);
}

/* As above with full fences: what a kernel without membarrier has. */
static void full_fences_body(int me)
{
    attach(me, 2);
    MPIDI_POSIX.fence_heavy = false;
    MPIDI_POSIX.inbox->fences = 0;
    MPIDI_Ep *ep = connect_to(1 - me);
    for (int k = 0; k < 20000; k++) {
        if (me == 0)
            send(ep, k, 8);
        wait_for(k + 1);
        if (me == 1)
            send(ep, k, 8);
    }
    T->shutdown();
}

static void no_wakeup_is_lost_without_heavy_fences(void)
{
    run(2, full_fences_body);
}

/* The sender has come and gone before the receiver looks; what fits in the ring arrives. */
static void late_body(int me)
{
    if (me == 0) {
        attach(me, 2);
        MPIDI_Ep *ep = connect_to(1);
        UT_INT_EQ(T->peer_state(ep), MPIDI_PEER_ABSENT);
        int n = 0;
        while (try_send(ep, n, some_size(n)) == MPIDI_SEND_DONE)
            n++;
        UT_INT_EQ(n, MPIDI_POSIX_SLOTS);
        T->shutdown();
        return;
    }
    while (made.dir->entry[0].state != MPIR_PROC_GONE)
        usleep(1000);
    attach(me, 2);
    wait_for((int) MPIDI_POSIX_SLOTS);
    MPIDI_Ep *ep = connect_to(0);
    UT_INT_EQ(T->peer_state(ep), MPIDI_PEER_GONE);
    UT_INT_EQ(try_send(ep, 0, 8), MPIDI_SEND_GONE);
    T->shutdown();
}

static void messages_wait_for_a_late_process(void)
{
    run(2, late_body);
}

/* A killed process cannot say that it goes. */
static void killed_body(int me)
{
    attach(me, 2);
    if (me == 1)
        _exit(0);
    MPIDI_Ep *ep = connect_to(1);
    MPIDI_Peer_state state;
    do {
        usleep(1000);
        state = T->peer_state(ep);
    } while (state != MPIDI_PEER_GONE);
    UT_INT_EQ(try_send(ep, 0, 8), MPIDI_SEND_GONE);
    T->shutdown();
}

static void death_is_noticed(void)
{
    run(2, killed_body);
}

static void get_body(int me)
{
    attach(me, 2);
    MPIDI_Ep *ep = connect_to(1 - me);
    if (me == 0) {
        big[100] = 77;
        UT_CHECK(T->get(ep, big, 0, 0) == 0 || ref.dir->entry[1].birth == 0);
        send(ep, 0, 8);
        wait_for(1);
    } else {
        char copy[200] = { 0 };
        wait_for(1);
        int err = T->get(ep, copy, (uint64_t) (uintptr_t) big, sizeof(copy));
        if (err == 0)
            UT_INT_EQ(copy[100], 77);
        else
            UT_CHECK(err == -ENOSYS || err == -EPERM);
        if (err == 0)
            UT_INT_EQ(T->get(ep, copy, 8, sizeof(copy)), -EFAULT);
        send(ep, 0, 8);
    }
    T->shutdown();
}

static void memory_of_a_peer_can_be_read(void)
{
    run(2, get_body);
}

/* Memory that is really used by a node of 16 processes of which two exchange short messages. */
static void memory_body(int me)
{
    attach(me, 16);
    if (me < 2) {
        MPIDI_Ep *ep = connect_to(1 - me);
        for (int k = 0; k < 1000; k++)
            send(ep, k, 8);
        wait_for(1000);
        struct stat st;
        fstat(ref.arena_fd, &st);
        UT_CHECK(st.st_size > 16 * 16 * (1 << 20));
        UT_CHECK(!ref.sparse_ok || st.st_blocks * 512 < 100 * 1024);
    }
    T->shutdown();
}

static void memory_is_paid_by_touch(void)
{
    run(16, memory_body);
}

/* A peer that has gone wild. */
static void corrupt_body(int me)
{
    attach(me, 2);
    MPIDI_Ep *ep = connect_to(1 - me);
    if (me == 0) {
        send(ep, 0, 8);
        MPIDI_POSIX_Slot *slot = &ep->tx.ring->slot[1];
        slot->kind = 1;
        slot->size = 60000;
        slot->seq = 2;
        usleep(50000);
    } else {
        while (warnings == 0)
            T->progress();
        UT_INT_EQ(got, 1);
        T->progress();
        UT_INT_EQ(warnings, 1);
        UT_INT_EQ(T->peer_state(ep), MPIDI_PEER_GONE);
    }
    T->shutdown();
}

static void corrupt_memory_is_reported_once(void)
{
    run(2, corrupt_body);
}

static void suspend_body(int me)
{
    attach(me, 2);
    MPIDI_Ep *ep = connect_to(1 - me);
    for (int k = 0; k < 100; k++) {
        send(ep, k, 100);
        UT_INT_EQ(T->suspend(), 0);
        UT_INT_EQ(T->resume(), 0);
    }
    wait_for(100);
    T->shutdown();
}

static void connections_survive_suspend(void)
{
    run(2, suspend_body);
}

/* Without mpiexec nobody holds the memory for a process that is still to come. It has a name as long
 * as messages wait in it; */
static void early_body(int me)
{
    unsetenv(MPIR_NODEDIR_ENV);
    if (me == 1) {
        usleep(100000); /* the sender is gone by now */
        attach(me, 2);
        wait_for(10);
        T->shutdown();
        return;
    }
    attach(me, 2);
    MPIDI_Ep *ep = connect_to(1);
    for (int k = 0; k < 10; k++)
        send(ep, k, 1000);
    UT_CHECK(T->flushed());
    T->shutdown();
}

static void messages_outlive_their_sender(void)
{
    run(2, early_body);
}

#ifndef MPL_PORTABLE
/* and where there is no room for it under a name, its sender stays. */
static void early_body_without_room(int me)
{
    unsetenv(MPIR_NODEDIR_ENV);
    if (me == 1) {
        usleep(100000);
        attach(me, 2);
        usleep(100000); /* the sender is gone by now */
        wait_for(10);
        T->shutdown();
        return;
    }
    attach(me, 2);
    UT_CHECK(T->flushed());
    MPIDI_Ep *ep = connect_to(1);
    for (int k = 0; k < 10; k++)
        send(ep, k, 1000);
    UT_CHECK(!T->flushed());
    while (!T->flushed())
        wait_a_while();
    T->shutdown();
}

/* In a mount namespace of its own, so the last of the tests. */
static void sender_stays_until_the_receiver_holds_the_memory(void)
{
    if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") == 0)
        run(2, early_body_without_room);
}
#endif

int main(void)
{
    for (size_t i = 0; i < sizeof(big); i++)
        big[i] = (char) (i * 37 + i / 251);
    snprintf(job_name, sizeof(job_name), "posix_pair-%d", (int) getpid());
    UT_RUN(all_to_all);
    UT_RUN(no_wakeup_is_lost);
    UT_RUN(sender_is_woken_when_there_is_room);
    UT_RUN(no_wakeup_is_lost_without_heavy_fences);
    UT_RUN(messages_wait_for_a_late_process);
    UT_RUN(death_is_noticed);
    UT_RUN(memory_of_a_peer_can_be_read);
    UT_RUN(memory_is_paid_by_touch);
    UT_RUN(corrupt_memory_is_reported_once);
    UT_RUN(connections_survive_suspend);
    UT_RUN(messages_outlive_their_sender);
#ifndef MPL_PORTABLE
    UT_RUN(sender_stays_until_the_receiver_holds_the_memory);
#endif
    return UT_REPORT();
}
