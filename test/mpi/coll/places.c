/* Small collectives where communicators come and go: more of them than can have a place in shared
 * memory, freed while others are still in them, used again after others were freed; members that
 * are ahead or late; operations of all sorts mixed, with nonblocking ones and messages between. */
#include <stdlib.h>
#include <time.h>

#include "mpitest.h"

static int rank, size;

static void pause_a_moment(void)
{
    struct timespec pause = { 0, 1000000L };
    nanosleep(&pause, NULL);
}

/* The vectors of operation `turn`, long ones now and then. */
enum { LONGEST = 600 }; /* ints: more than a member can bring to a place */

static int items_of(int turn)
{
    static const int items[] = { 1, 2, 16, 511, 512, 513, LONGEST, 0 };
    return items[turn % 8];
}

static int value(int r, int turn, int i)
{
    return r * 10000 + turn * 100 + i % 100;
}

static void check_sum(MPI_Comm comm, const int *in, int turn)
{
    int n, sum = 0;
    MPI_Comm_size(comm, &n);
    for (int r = 0; r < n; r++)
        sum += value(r, turn, 0);
    for (int i = 0; i < items_of(turn); i++)
        MTEST_INT_EQ(in[i], sum + n * (i % 100));
}

static void one_turn(MPI_Comm comm, int turn)
{
    int me, n, items = items_of(turn), out[LONGEST], in[LONGEST];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    int root = turn % n;
    for (int i = 0; i < items; i++)
        out[i] = value(me, turn, i);
    switch (turn * 7 % 5) {
        case 0:
            MTEST_MPI(MPI_Barrier(comm));
            break;
        case 1:
            MTEST_MPI(MPI_Bcast(out, items, MPI_INT, root, comm));
            for (int i = 0; i < items; i++)
                MTEST_INT_EQ(out[i], value(root, turn, i));
            break;
        case 2:
            MTEST_MPI(MPI_Reduce(out, in, items, MPI_INT, MPI_SUM, root, comm));
            if (me == root)
                check_sum(comm, in, turn);
            break;
        case 3:
            MTEST_MPI(MPI_Allreduce(out, in, items, MPI_INT, MPI_SUM, comm));
            check_sum(comm, in, turn);
            break;
        case 4:
            MTEST_MPI(MPI_Allreduce(MPI_IN_PLACE, out, items, MPI_INT, MPI_SUM, comm));
            check_sum(comm, out, turn);
            break;
    }
}

/* One root that never waits is ahead of the others, until it must not be. */
static void far_ahead(MPI_Comm comm)
{
    int me, n, x;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    for (int late = 0; late < n; late++) {
        if (me == late)
            pause_a_moment();
        for (int i = 0; i < 40; i++) {
            x = me == 0 ? i : -1;
            MTEST_MPI(MPI_Bcast(&x, 1, MPI_INT, 0, comm));
            MTEST_INT_EQ(x, i);
        }
        for (int i = 0; i < 40; i++) {
            int sum = -1;
            MTEST_MPI(MPI_Reduce(&i, &sum, 1, MPI_INT, MPI_SUM, n - 1, comm));
            if (me == n - 1)
                MTEST_INT_EQ(sum, i * n);
        }
    }
}

/* Whoever waits must serve others: a large message, of which the receiver gets its part only while
 * the sender is in some call. */
static void progress_meanwhile(MPI_Comm comm)
{
    enum { BIG = 1 << 20 };
    int me, n, *data = calloc(BIG, sizeof *data);
    MPI_Request req;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    if (n > 1 && me == 0) {
        data[BIG - 1] = 7;
        MTEST_MPI(MPI_Isend(data, BIG, MPI_INT, 1, 5, comm, &req));
        MTEST_MPI(MPI_Barrier(comm));
        MTEST_MPI(MPI_Wait(&req, MPI_STATUS_IGNORE));
    } else {
        if (n > 1 && me == 1) {
            MTEST_MPI(MPI_Recv(data, BIG, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE));
            MTEST_INT_EQ(data[BIG - 1], 7);
        }
        MTEST_MPI(MPI_Barrier(comm));
    }
    free(data);
}

static void mixed_with_nonblocking(MPI_Comm comm)
{
    for (int i = 0; i < 20; i++) {
        MPI_Request req;
        MTEST_MPI(MPI_Ibarrier(comm, &req));
        one_turn(comm, i);
        one_turn(comm, i + 1);
        MTEST_MPI(MPI_Wait(&req, MPI_STATUS_IGNORE));
    }
}

/* Far more than there are places, over and over. */
static void come_and_go(void)
{
    for (int i = 0; i < 1500; i++) {
        MPI_Comm part;
        MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % (1 + i % 3), -rank, &part));
        for (int turn = i; turn < i + 4; turn++) {
            MTEST_MPI(MPI_Barrier(part));
            one_turn(part, turn);
        }
        if (i % 100 == 0 && rank == i / 100 % size)
            pause_a_moment(); /* the others have freed theirs, and go on to the next */
        MTEST_MPI(MPI_Comm_free(&part));
    }
}

static void many_at_once(void)
{
    enum { MANY = 200 };
    MPI_Comm comm[MANY];
    for (int i = 0; i < MANY; i++)
        MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]));
    for (int turn = 0; turn < 4; turn++)
        for (int i = 0; i < MANY; i++) {
            MTEST_MPI(MPI_Barrier(comm[i]));
            one_turn(comm[i], turn + i);
        }
    for (int i = 0; i < MANY; i++)
        MTEST_MPI(MPI_Comm_free(&comm[(i * 7) % MANY]));
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    for (int i = 0; i < 400; i++)
        one_turn(MPI_COMM_WORLD, i);
    far_ahead(MPI_COMM_WORLD);
    progress_meanwhile(MPI_COMM_WORLD);
    mixed_with_nonblocking(MPI_COMM_WORLD);
    come_and_go();
    many_at_once();
    for (int i = 0; i < 20; i++)
        one_turn(MPI_COMM_WORLD, i);
    MPI_Finalize();
    return MTest_report(rank);
}
