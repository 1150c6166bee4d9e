/* P3 in the world model, whose communicator nobody has to make: rank B is in the world and sends while rank A is still in a
 * session's epoch; then between epochs; then joins the world and finds everything, in order. B is rank 0, or 1 with an argument. */
#include <unistd.h>

#include "ring.h"

static const int sizes[] = { 0, 8, 32, 2048, 65536, 1 << 20, 4 << 20 };
enum { N = sizeof(sizes) / sizeof(sizes[0]), LARGEST = 4 << 20, EARLY = 77 };

static void fill(unsigned char *buf, int n, int seed)
{
    for (int i = 0; i < n; i++)
        buf[i] = (unsigned char) (seed + i * 7 + i / 251);
}

static void send_all(int to)
{
    MPI_Request req[N];
    unsigned char *buf[N];
    for (int i = 0; i < N; i++) {
        buf[i] = malloc((size_t) sizes[i] + 1);
        fill(buf[i], sizes[i], i);
        MTEST_MPI(MPI_Isend(buf[i], sizes[i], MPI_BYTE, to, EARLY, MPI_COMM_WORLD, &req[i]));
    }
    MTEST_MPI(MPI_Waitall(N, req, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        free(buf[i]);
}

static void receive_all(int from)
{
    unsigned char *buf = malloc(LARGEST), *want = malloc(LARGEST);
    for (int i = 0; i < N; i++) {
        MPI_Status status;
        int n = -1;
        MTEST_MPI(MPI_Recv(buf, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, EARLY, MPI_COMM_WORLD, &status));
        MPI_Get_count(&status, MPI_BYTE, &n);
        MTEST_INT_EQ(status.MPI_SOURCE, from);
        MTEST_INT_EQ(n, sizes[i]);
        fill(want, sizes[i], i);
        MTEST_CHECK(memcmp(buf, want, (size_t) sizes[i]) == 0, "data of %d bytes differ", sizes[i]);
    }
    free(buf);
    free(want);
}

/* Epochs that know nothing of the world, in which the early messages come in. */
static void linger(void)
{
    for (int i = 0; i < 5; i++) {
        int flag = 0;
        MPI_Session session = MTest_session();
        MPI_Comm comm = MTest_session_comm(session, "mpi://SELF", "linger");
        for (int k = 0; k < 20; k++) {
            MTEST_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
            MTEST_INT_EQ(flag, 0);
            usleep(200);
        }
        ring_check(comm, i);
        MTEST_MPI(MPI_Comm_free(&comm));
        MTEST_MPI(MPI_Session_finalize(&session));
        usleep(5 * 1000);
    }
}

int main(int argc, char **argv)
{
    int b = argc > 1, a = 1 - b, size;
    int rank = ring_epoch("before", 1); /* also tells who we are */
    if (rank == a)
        linger();
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == b && size > 1)
        send_all(a);
    else if (rank == a && size > 1)
        receive_all(b);
    ring_check(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    ring_epoch("after", 3);
    return MTest_report(rank);
}
