/* The schedule engine: order of steps, fences, errors, memory, progress from inside of a callback.
 */
#include "../../src/mpi/coll/sched_internal.h"
#include "mpir_impl.h"
#include "sim_device.h"

/* Two ranks; lives with the test program. */
static MPIR_Comm comm[2];

static void set_up(void)
{
    for (int r = 0; r < 2; r++)
        comm[r] = (MPIR_Comm) { .obj.ref = 1, .rank = r, .size = 2, .ctx = 64,
                                .coll_seq = comm[r].coll_seq };
}

static int trace[16], n_trace;

static int note(void *arg)
{
    trace[n_trace++] = (int) (intptr_t) arg;
    return MPI_SUCCESS;
}

static void *as_arg(int i)
{
    return (void *) (intptr_t) i;
}

static int end(MPIR_Request *req)
{
    for (int i = 0; !MPIR_Request_is_complete(req) && i < 10000; i++)
        MPID_Progress_poll();
    UT_CHECK(MPIR_Request_is_complete(req));
    int error = req->status.MPI_ERROR;
    MPIR_Request_release(req);
    return error;
}

static void fences_wait_for_messages(void)
{
    int out = 7, in = 0;
    MPIR_Request *a, *b;
    set_up();
    n_trace = 0;
    MPIR_Sched *s0 = MPIR_Sched_create(&comm[0]), *s1 = MPIR_Sched_create(&comm[1]);
    MPIR_Sched_call(s0, note, as_arg(1));
    MPIR_Sched_recv(s0, &in, 1, MPI_INT, 1);
    MPIR_Sched_fence(s0);
    MPIR_Sched_fence(s0);
    MPIR_Sched_call(s0, note, as_arg(2));
    MPIR_Sched_fence(s0);
    MPIR_Sched_send(s1, &out, 1, MPI_INT, 0);
    UT_INT_EQ(MPIR_Sched_start(s0, &a), 0);
    UT_INT_EQ(n_trace, 1);
    UT_CHECK(!MPIR_Request_is_complete(a));
    UT_INT_EQ(MPIR_Sched_start(s1, &b), 0);
    UT_INT_EQ(end(a) | end(b), 0);
    UT_INT_EQ(n_trace, 2);
    UT_INT_EQ(in, 7);
    UT_INT_EQ(comm[0].obj.ref, 1);
}

static void empty_schedules(void)
{
    MPIR_Request *req;
    set_up();
    UT_INT_EQ(MPIR_Sched_run(MPIR_Sched_create(&comm[0])), 0);
    UT_INT_EQ(MPIR_Sched_start(MPIR_Sched_create(&comm[0]), &req), 0);
    UT_INT_EQ(end(req), 0);
    UT_INT_EQ(MPIR_Err_class(MPIR_Sched_run(NULL)), MPI_ERR_NO_MEM);
    UT_INT_EQ(MPIR_Err_class(MPIR_Sched_start(NULL, &req)), MPI_ERR_NO_MEM);
}

static int fails(void *arg)
{
    (void) arg;
    return MPIR_Err("**sched_nomem", 1L);
}

static void errors_end_the_schedule(void)
{
    int in[3] = { 0 };
    MPIR_Request *req;
    set_up();
    n_trace = 0;
    MPIR_Sched *s = MPIR_Sched_create(&comm[0]);
    MPIR_Sched_recv(s, &in[0], 1, MPI_INT, 1); /* never answered: taken back */
    MPIR_Sched_call(s, fails, NULL);
    MPIR_Sched_call(s, note, as_arg(1));
    UT_INT_EQ(MPIR_Sched_start(s, &req), 0);
    UT_INT_EQ(MPIR_Err_class(end(req)), MPI_ERR_NO_MEM);
    UT_INT_EQ(n_trace, 0);
    UT_CHECK(!sim.posted);
    sim.fail_after = 2;
    s = MPIR_Sched_create(&comm[0]);
    MPIR_Sched_send(s, &in[1], 1, MPI_INT, 1);
    MPIR_Sched_send(s, &in[2], 1, MPI_INT, 1);
    MPIR_Sched_fence(s);
    MPIR_Sched_call(s, note, as_arg(1));
    UT_CHECK(MPIR_Sched_run(s) != 0);
    UT_INT_EQ(n_trace, 0);
    while (MPID_Progress_poll())
        ;
    free(sim.unexpected);
    sim.unexpected = NULL;
}

static void failed_receive_reaches_the_request(void)
{
    int big[2] = { 1, 2 }, small = 0;
    MPIR_Request *a, *b;
    set_up();
    comm[0].coll_seq = comm[1].coll_seq;
    MPIR_Sched *s0 = MPIR_Sched_create(&comm[0]), *s1 = MPIR_Sched_create(&comm[1]);
    MPIR_Sched_send(s0, big, 2, MPI_INT, 1);
    MPIR_Sched_recv(s1, &small, 1, MPI_INT, 0);
    MPIR_Sched_start(s0, &a);
    MPIR_Sched_start(s1, &b);
    UT_INT_EQ(end(a), 0);
    UT_CHECK(end(b) != 0);
}

static void tags_wrap_in_the_legal_range(void)
{
    set_up();
    comm[0].coll_seq = 0x7ffffffe;
    for (int i = 0; i < 4; i++) {
        MPIR_Sched *s = MPIR_Sched_create(&comm[0]);
        UT_CHECK(s->tag >= 0);
        UT_INT_EQ(s->tag, i < 2 ? 0x7ffffffe + i : i - 2);
        UT_INT_EQ(MPIR_Sched_run(s), 0);
    }
    comm[0].coll_seq = comm[1].coll_seq = 0;
}

static int nothing(void *arg)
{
    (void) arg;
    return MPI_SUCCESS;
}

static void memory_of_all_sizes(void)
{
    set_up();
    MPIR_Sched *s = MPIR_Sched_create(&comm[0]);
    for (size_t size = 1; size < 1 << 20; size = size * 3 + 1) {
        char *p = MPIR_Sched_alloc(s, size);
        UT_CHECK(p && (uintptr_t) p % 16 == 0);
        memset(p, 0xff, size);
    }
    for (int i = 0; i < 1000; i++)
        MPIR_Sched_call(s, nothing, NULL);
    UT_INT_EQ(MPIR_Sched_run(s), 0);
}

static int run_another(void *arg)
{
    int out = 3, in = 0;
    MPIR_Comm *c = arg;
    MPIR_Request *req;
    MPIR_Sched *s0 = MPIR_Sched_create(&c[0]), *s1 = MPIR_Sched_create(&c[1]);
    MPIR_Sched_send(s1, &out, 1, MPI_INT, 0);
    MPIR_Sched_start(s1, &req);
    MPIR_Sched_recv(s0, &in, 1, MPI_INT, 1);
    int ret = MPIR_Sched_run(s0); /* waits inside of a step of another schedule */
    UT_INT_EQ(in, 3);
    while (!MPIR_Request_is_complete(req) && MPID_Progress_poll())
        ;
    MPIR_Request_release(req);
    return ret;
}

static void a_callback_may_wait(void)
{
    static MPIR_Comm inner[2];
    int out = 1, in = 0;
    MPIR_Request *a, *b;
    set_up();
    comm[0].coll_seq = comm[1].coll_seq;
    for (int r = 0; r < 2; r++)
        inner[r] = (MPIR_Comm) { .obj.ref = 1, .rank = r, .size = 2, .ctx = 128 };
    MPIR_Sched *s0 = MPIR_Sched_create(&comm[0]), *s1 = MPIR_Sched_create(&comm[1]);
    MPIR_Sched_recv(s0, &in, 1, MPI_INT, 1);
    MPIR_Sched_fence(s0);
    MPIR_Sched_call(s0, run_another, inner);
    MPIR_Sched_send(s1, &out, 1, MPI_INT, 0);
    MPIR_Sched_start(s0, &a);
    MPIR_Sched_start(s1, &b);
    UT_INT_EQ(end(a) | end(b), 0);
}

static void dropped_at_the_end_of_an_epoch(void)
{
    int in = 0;
    MPIR_Request *req;
    set_up();
    MPIR_Sched *s = MPIR_Sched_create(&comm[0]);
    MPIR_Sched_recv(s, &in, 1, MPI_INT, 1);
    MPIR_Sched_start(s, &req);
    free(sim.posted);
    sim.posted = NULL;
    MPIR_Request_drop_all();
    MPIR_Sched_drop_all();
    UT_CHECK(!MPID_Progress_poll());
}

int main(void)
{
    UT_RUN(fences_wait_for_messages);
    UT_RUN(empty_schedules);
    UT_RUN(errors_end_the_schedule);
    UT_RUN(failed_receive_reaches_the_request);
    UT_RUN(tags_wrap_in_the_legal_range);
    UT_RUN(memory_of_all_sizes);
    UT_RUN(a_callback_may_wait);
    UT_RUN(dropped_at_the_end_of_an_epoch);
    return UT_REPORT();
}
