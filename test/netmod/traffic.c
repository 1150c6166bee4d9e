/* Messages of all sizes between all ranks, in epochs; run over each provider of a network module. */
#include "mpitest.h"

enum { EPOCHS = 3, BURST = 300, LARGEST = 3 << 20 };

static int rank, size;
static unsigned char *in, *out;

static unsigned char byte_of(int from, size_t i)
{
    return (unsigned char) (i * 7 + i / 251 + (size_t) from * 31);
}

static void check(int from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (in[i] != byte_of(from, i)) {
            MTEST_ERROR("byte %zu of %zu from rank %d is %d, expected %d", i, n, from, in[i], byte_of(from, i));
            return;
        }
    }
}

/* Around the limits of what is injected, copied, sent in place and read. */
static void sizes(MPI_Comm comm)
{
    static const int bytes[] = { 0, 1, 16, 39, 40, 41, 255, 256, 480, 512, 8191, 8192, 15999, 16000, 16001, 65536, 1 << 20,
                                 LARGEST };
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank + size - step) % size;
        for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
            memset(in, 0, (size_t) bytes[i]);
            MTEST_MPI(MPI_Sendrecv(out, bytes[i], MPI_BYTE, to, 3, in, bytes[i], MPI_BYTE, from, 3, comm,
                                   MPI_STATUS_IGNORE));
            check(from, (size_t) bytes[i]);
        }
    }
}

/* Many at once, with sizes that take different ways: the order per pair must hold. */
static void order(MPI_Comm comm)
{
    static MPI_Request request[BURST];
    static const int length[] = { sizeof(int), 4000, 40000 };
    static int number[BURST];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int i = 0; i < BURST; i++) {
        number[i] = i;
        void *what = i % 3 == 0 ? (void *) &number[i] : out;
        MTEST_MPI(MPI_Isend(what, length[i % 3], MPI_BYTE, to, 4, comm, &request[i]));
    }
    for (int i = 0; i < BURST; i++) {
        MPI_Status status;
        int n;
        MTEST_MPI(MPI_Recv(in, 40000, MPI_BYTE, from, 4, comm, &status));
        MPI_Get_count(&status, MPI_BYTE, &n);
        MTEST_INT_EQ(n, length[i % 3]);
        if (i % 3 == 0)
            MTEST_CHECK(memcmp(in, &i, sizeof(i)) == 0, "message %d is out of order", i);
    }
    MTEST_MPI(MPI_Waitall(BURST, request, MPI_STATUSES_IGNORE));
}

/* Strided on one side or both, and a receive that is too short. */
static void shapes(MPI_Comm comm)
{
    enum { N = 100000 };
    static int strided[2 * N], flat[N];
    MPI_Datatype type;
    int to = (rank + 1) % size, from = (rank + size - 1) % size, err;
    MPI_Status status;
    MPI_Type_vector(N, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < N; i++)
        strided[2 * i] = rank + i;
    MTEST_MPI(MPI_Sendrecv(strided, 1, type, to, 5, flat, N, MPI_INT, from, 5, comm, &status));
    MTEST_INT_EQ(flat[N - 1], from + N - 1);
    MTEST_MPI(MPI_Sendrecv(flat, N, MPI_INT, to, 5, strided, 1, type, from, 5, comm, &status));
    MTEST_INT_EQ(strided[2 * (N - 1)], (from + size - 1) % size + N - 1);
    MPI_Request request;
    MTEST_MPI(MPI_Isend(flat, N, MPI_INT, to, 6, comm, &request));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    err = MPI_Recv(strided, N / 2, MPI_INT, from, 6, comm, &status);
    int class = 0;
    if (err)
        MPI_Error_class(err, &class);
    MTEST_INT_EQ(class, MPI_ERR_TRUNCATE);
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Type_free(&type);
}

int main(void)
{
    in = malloc(LARGEST);
    out = malloc(LARGEST);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        MPI_Session s = MTest_session();
        MPI_Comm comm = MTest_session_comm(s, "mpi://WORLD", "traffic");
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        for (size_t i = 0; i < LARGEST; i++)
            out[i] = byte_of(rank, i);
        sizes(comm);
        order(comm);
        shapes(comm);
        MTEST_MPI(MPI_Comm_free(&comm));
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    free(in);
    free(out);
    return MTest_report(rank);
}
