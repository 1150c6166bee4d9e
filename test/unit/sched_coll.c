/* Every collective algorithm, by name, at many sizes, in one process: all ranks are simulated
 * (sim_device.h) and their schedules run side by side with messages in random order. */
#include "../../src/mpi/coll/coll_internal.h"
#include "mpir_impl.h"
#include "sim_device.h"

#define MAX_SIZE 17

/* The job; lives with the test program. */
static struct {
    MPIR_Comm comm[MAX_SIZE];
    MPIR_Sched *sched[MAX_SIZE];
    MPIR_Request *req[MAX_SIZE];
    int size;
} job;

static MPI_Datatype spread_type; /* an int, then a hole of one */
static MPI_Op concat; /* does not commute */

static void set_size(int size)
{
    job.size = size;
    for (int r = 0; r < size; r++) {
        MPIR_Comm *c = &job.comm[r];
        memset(c, 0, sizeof *c);
        c->obj.ref = 1;
        c->rank = r;
        c->size = size;
        c->ctx = 64;
    }
}

static bool all_done(void)
{
    for (int r = 0; r < job.size; r++)
        if (job.req[r] && !MPIR_Request_is_complete(job.req[r]))
            return false;
    return true;
}

/* Start what was built and run it to the end; the first error. */
static int run_all(void)
{
    int error = 0;
    for (int r = 0; r < job.size; r++) {
        int ret = MPIR_Sched_start(job.sched[r], &job.req[r]);
        if (ret) {
            error = ret;
            job.req[r] = NULL;
        }
        if (sim_random(2))
            MPID_Progress_poll();
    }
    for (int idle = 0; !all_done() && idle < 1000;)
        idle = MPID_Progress_poll() ? 0 : idle + 1;
    if (!all_done()) {
        UT_FAIL("hangs");
        exit(1);
    }
    for (int r = 0; r < job.size; r++) {
        if (!job.req[r])
            continue;
        if (!error)
            error = job.req[r]->status.MPI_ERROR;
        MPIR_Request_release(job.req[r]);
    }
    return error;
}

static void build(const MPII_Coll_algorithm *a, int rank, MPII_Coll c)
{
    c.comm = &job.comm[rank];
    job.sched[rank] = MPIR_Sched_create(c.comm);
    a->build(job.sched[rank], &c);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Buffers of ints, with every second one a hole that must stay as it was. */
#define HOLE 0x5a5a5a5a

typedef struct Layout {
    MPI_Datatype type;
    int step; /* ints from item to item */
} Layout;

static int *new_buffer(Layout l, int items)
{
    int n = (items + 1) * l.step;
    int *b = malloc((size_t) n * sizeof *b);
    for (int i = 0; i < n; i++)
        b[i] = HOLE;
    return b;
}

static void check_holes(const int *b, Layout l, int items)
{
    for (int i = 0; i < (items + 1) * l.step; i++)
        if ((l.step == 2 && i % 2) || i >= items * l.step)
            UT_INT_EQ(b[i], HOLE);
}

static int value(int rank, int item)
{
    return rank * 1000 + item % 1000 + 1;
}

typedef struct Try {
    const MPII_Coll_algorithm *a;
    int count, root;
    bool in_place;
    Layout l;
} Try;

static int *send_buf[MAX_SIZE], *recv_buf[MAX_SIZE];

static void make_buffers(const Try *t, int send_items, int recv_items)
{
    for (int r = 0; r < job.size; r++) {
        send_buf[r] = new_buffer(t->l, send_items);
        recv_buf[r] = new_buffer(t->l, recv_items);
    }
}

static void free_buffers(const Try *t, int send_items, int recv_items)
{
    for (int r = 0; r < job.size; r++) {
        check_holes(send_buf[r], t->l, send_items);
        check_holes(recv_buf[r], t->l, recv_items);
        free(send_buf[r]);
        free(recv_buf[r]);
    }
    UT_CHECK(!sim.wire && !sim.unexpected && !sim.posted);
}

static void expect(const Try *t, const int *b, int item, int want)
{
    if (b[item * t->l.step] != want)
        UT_FAIL("%s size %d count %d root %d%s step %d: item %d is %d, expected %d", t->a->name,
                job.size, t->count, t->root, t->in_place ? " in place" : "", t->l.step, item,
                b[item * t->l.step], want);
}

/* ---- one operation each ---------------------------------------------------------------------- */

static void try_barrier(const Try *t)
{
    int rounds = 0;
    while (1 << rounds < job.size)
        rounds++;
    sim.messages = 0;
    for (int r = 0; r < job.size; r++)
        build(t->a, r, (MPII_Coll) { 0 });
    UT_INT_EQ(run_all(), 0);
    bool central = strcmp(t->a->name, "central") == 0;
    UT_INT_EQ(sim.messages, central ? 2 * (job.size - 1) : rounds * job.size);
}

static void try_bcast(const Try *t)
{
    make_buffers(t, 0, t->count);
    for (int i = 0; i < t->count; i++)
        recv_buf[t->root][i * t->l.step] = value(t->root, i);
    for (int r = 0; r < job.size; r++)
        build(t->a, r, (MPII_Coll) { .recvbuf = recv_buf[r], .recvcount = t->count,
                                     .recvtype = t->l.type, .root = t->root });
    UT_INT_EQ(run_all(), 0);
    for (int r = 0; r < job.size; r++)
        for (int i = 0; i < t->count; i++)
            expect(t, recv_buf[r], i, value(t->root, i));
    free_buffers(t, 0, t->count);
}

/* An ordered operation: each item is (first, last) of a run of ranks, in one int; putting together
 * runs that do not follow each other gives rubbish that stays rubbish. */
#define RUN(first, last) ((first) * 100 + (last))
#define RUBBISH 999999

static void concat_fn(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int step = *type == MPI_INT ? 1 : 2;
    int *a = in, *b = inout;
    for (int i = 0; i < *len * step; i += step)
        b[i] = a[i] != RUBBISH && b[i] != RUBBISH && a[i] % 100 + 1 == b[i] / 100
            ? RUN(a[i] / 100, b[i] % 100)
            : RUBBISH;
}

static void try_reduce(const Try *t, bool all)
{
    MPI_Op op = t->a->needs_commutative && t->l.step == 1 ? MPI_SUM : concat;
    if (t->a->needs_commutative && t->l.step == 2)
        return; /* no predefined operation on derived types */
    make_buffers(t, t->count, t->count);
    for (int r = 0; r < job.size; r++) {
        bool here = t->in_place && (all || r == t->root);
        for (int i = 0; i < t->count; i++)
            (here ? recv_buf[r] : send_buf[r])[i * t->l.step] =
                op == MPI_SUM ? value(r, i) : RUN(r, r);
        build(t->a, r, (MPII_Coll) { .sendbuf = here ? MPI_IN_PLACE : send_buf[r],
                                     .recvbuf = all || r == t->root ? recv_buf[r] : NULL,
                                     .recvcount = t->count, .recvtype = t->l.type, .op = op,
                                     .root = t->root });
    }
    UT_INT_EQ(run_all(), 0);
    for (int r = 0; r < job.size; r++)
        for (int i = 0; i < t->count && (all || r == t->root); i++) {
            int sum = 0;
            for (int k = 0; k < job.size; k++)
                sum += value(k, i);
            expect(t, recv_buf[r], i, op == MPI_SUM ? sum : RUN(0, job.size - 1));
        }
    free_buffers(t, t->count, t->count);
}

static void try_gather(const Try *t)
{
    int all = t->count * job.size;
    make_buffers(t, t->count, all);
    for (int r = 0; r < job.size; r++) {
        bool here = t->in_place && r == t->root;
        int *b = here ? recv_buf[r] + r * t->count * t->l.step : send_buf[r];
        for (int i = 0; i < t->count; i++)
            b[i * t->l.step] = value(r, i);
        build(t->a, r, (MPII_Coll) { .sendbuf = here ? MPI_IN_PLACE : send_buf[r],
                                     .sendcount = t->count, .sendtype = t->l.type,
                                     .recvbuf = recv_buf[r], .recvcount = t->count,
                                     .recvtype = t->l.type, .root = t->root });
    }
    UT_INT_EQ(run_all(), 0);
    for (int i = 0; i < all; i++)
        expect(t, recv_buf[t->root], i, value(i / t->count, i % t->count));
    free_buffers(t, t->count, all);
}

static void try_scatter(const Try *t)
{
    int all = t->count * job.size;
    make_buffers(t, all, t->count);
    for (int i = 0; i < all; i++)
        send_buf[t->root][i * t->l.step] = value(i / t->count, i % t->count);
    for (int r = 0; r < job.size; r++)
        build(t->a, r, (MPII_Coll) {
                           .sendbuf = send_buf[r], .sendcount = t->count, .sendtype = t->l.type,
                           .recvbuf = t->in_place && r == t->root ? MPI_IN_PLACE : recv_buf[r],
                           .recvcount = t->count, .recvtype = t->l.type, .root = t->root });
    UT_INT_EQ(run_all(), 0);
    for (int r = 0; r < job.size; r++)
        for (int i = 0; i < t->count && !(t->in_place && r == t->root); i++)
            expect(t, recv_buf[r], i, value(r, i));
    free_buffers(t, all, t->count);
}

static void try_allgather(const Try *t)
{
    int all = t->count * job.size;
    make_buffers(t, t->count, all);
    for (int r = 0; r < job.size; r++) {
        int *b = t->in_place ? recv_buf[r] + r * t->count * t->l.step : send_buf[r];
        for (int i = 0; i < t->count; i++)
            b[i * t->l.step] = value(r, i);
        build(t->a, r, (MPII_Coll) { .sendbuf = t->in_place ? MPI_IN_PLACE : send_buf[r],
                                     .sendcount = t->count, .sendtype = t->l.type,
                                     .recvbuf = recv_buf[r], .recvcount = t->count,
                                     .recvtype = t->l.type });
    }
    UT_INT_EQ(run_all(), 0);
    for (int r = 0; r < job.size; r++)
        for (int i = 0; i < all; i++)
            expect(t, recv_buf[r], i, value(i / t->count, i % t->count));
    free_buffers(t, t->count, all);
}

static void try_alltoall(const Try *t)
{
    int all = t->count * job.size;
    make_buffers(t, all, all);
    for (int r = 0; r < job.size; r++) {
        for (int i = 0; i < all; i++)
            (t->in_place ? recv_buf : send_buf)[r][i * t->l.step] = value(r, i);
        build(t->a, r, (MPII_Coll) { .sendbuf = t->in_place ? MPI_IN_PLACE : send_buf[r],
                                     .sendcount = t->count, .sendtype = t->l.type,
                                     .recvbuf = recv_buf[r], .recvcount = t->count,
                                     .recvtype = t->l.type });
    }
    UT_INT_EQ(run_all(), 0);
    for (int r = 0; r < job.size; r++)
        for (int i = 0; i < all; i++)
            expect(t, recv_buf[r], i, value(i / t->count, r * t->count + i % t->count));
    free_buffers(t, all, all);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void try_one(MPII_Coll_kind kind, const Try *t)
{
    switch (kind) {
        case MPII_BARRIER: try_barrier(t); break;
        case MPII_BCAST: try_bcast(t); break;
        case MPII_REDUCE: try_reduce(t, false); break;
        case MPII_ALLREDUCE: try_reduce(t, true); break;
        case MPII_GATHER: try_gather(t); break;
        case MPII_SCATTER: try_scatter(t); break;
        case MPII_ALLGATHER: try_allgather(t); break;
        default: try_alltoall(t); break;
    }
}

static void try_sizes(MPII_Coll_kind kind, const MPII_Coll_algorithm *a)
{
    static const int counts[] = { 0, 1, 3, 200 };
    for (int size = 1; size <= MAX_SIZE; size++) {
        if (a->needs_power_of_2 && !MPII_Is_power_of_2(size))
            continue;
        set_size(size);
        for (int variant = 0; variant < 16; variant++) {
            Try t = { .a = a,
                      .count = counts[variant / 4],
                      .root = (int) sim_random((unsigned) size),
                      .in_place = variant & 1,
                      .l = variant & 2 ? (Layout) { spread_type, 2 } : (Layout) { MPI_INT, 1 } };
            try_one(kind, &t);
        }
    }
}

static void every_algorithm(void)
{
    const MPII_Coll_algorithm *a;
    for (int kind = 0; kind < MPII_COLL_KINDS; kind++)
        for (int i = 0; (a = MPII_Coll_algorithm_at((MPII_Coll_kind) kind, i)); i++)
            if (a->build) /* else it takes shared memory */
                try_sizes((MPII_Coll_kind) kind, a);
    UT_INT_EQ(MPIR_Request_pool.in_use > 256, 0);
}

/* A commutative user operation on a derived type goes the commutative ways, too. */
static void add_fn(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void) type;
    for (int i = 0; i < *len * 2; i += 2)
        ((int *) inout)[i] += ((int *) in)[i];
}

static void user_op_on_derived_type(void)
{
    MPI_Op add;
    UT_INT_EQ(MPIR_Op_create_impl(add_fn, 1, &add), 0);
    Layout l = { spread_type, 2 };
    for (int size = 1; size <= 9; size++) {
        set_size(size);
        for (int which = 0; which < 2; which++) {
            MPII_Coll_case what = { .kind = MPII_ALLREDUCE, .size = size, .bytes = 40, .count = 10,
                                    .commutative = true };
            Try t = { .a = MPII_Coll_choose(&what, which ? "ring" : "recursive_doubling"),
                      .count = 10, .l = l };
            make_buffers(&t, 10, 10);
            for (int r = 0; r < size; r++) {
                for (int i = 0; i < 10; i++)
                    send_buf[r][2 * i] = value(r, i);
                build(t.a, r, (MPII_Coll) { .sendbuf = send_buf[r], .recvbuf = recv_buf[r],
                                            .recvcount = 10, .recvtype = l.type, .op = add });
            }
            if (size == 9 && which) /* the schedules hold what they use */
                UT_INT_EQ(MPIR_Op_free_impl(add), 0);
            UT_INT_EQ(run_all(), 0);
            for (int r = 0; r < size; r++)
                for (int i = 0; i < 10; i++)
                    expect(&t, recv_buf[r], i, 500 * size * (size - 1) + size * (i + 1));
            free_buffers(&t, 10, 10);
        }
    }
}

static void choice_is_a_pure_function(void)
{
    MPII_Coll_case what = { .kind = MPII_ALLREDUCE, .size = 5, .bytes = 1 << 20, .count = 1 << 18,
                            .commutative = true };
    UT_STR_EQ(MPII_Coll_choose(&what, NULL)->name, "ring");
    UT_STR_EQ(MPII_Coll_choose(&what, "recursive_doubling")->name, "recursive_doubling");
    what.commutative = false;
    UT_STR_EQ(MPII_Coll_choose(&what, NULL)->name, "recursive_doubling");
    UT_STR_EQ(MPII_Coll_choose(&what, "ring")->name, "recursive_doubling"); /* cannot serve */
    what = (MPII_Coll_case) { .kind = MPII_REDUCE, .size = 5, .bytes = 4, .count = 1 };
    UT_STR_EQ(MPII_Coll_choose(&what, "auto")->name, "ordered");
    what = (MPII_Coll_case) { .kind = MPII_ALLGATHER, .size = 6, .bytes = 8, .commutative = true };
    UT_STR_EQ(MPII_Coll_choose(&what, NULL)->name, "bruck");
    what.size = 8;
    UT_STR_EQ(MPII_Coll_choose(&what, NULL)->name, "recursive_doubling");
    for (int kind = 0; kind < MPII_COLL_KINDS; kind++)
        for (int size = 1; size < 40; size++)
            for (MPI_Count bytes = 0; bytes < 1 << 24; bytes = bytes * 3 + 1)
                for (int commutes = 0; commutes < 2; commutes++) {
                    what = (MPII_Coll_case) { .kind = (MPII_Coll_kind) kind,
                                              .size = size,
                                              .bytes = bytes,
                                              .count = bytes / 4,
                                              .commutative = commutes,
                                              .crowded = size % 2 };
                    UT_CHECK(MPII_Coll_choose(&what, "no_such_name") != NULL);
                }
}

int main(void)
{
    MPIR_Type_vector_impl(1, 1, 2, MPI_INT, &spread_type);
    MPI_Datatype plain = spread_type;
    MPIR_Type_create_resized_impl(plain, 0, 2 * sizeof(int), &spread_type);
    MPIR_Type_commit_impl(&spread_type);
    MPIR_Op_create_impl(concat_fn, 0, &concat);
    UT_RUN(every_algorithm);
    UT_RUN(user_op_on_derived_type);
    UT_RUN(choice_is_a_pure_function);
    return UT_REPORT();
}
