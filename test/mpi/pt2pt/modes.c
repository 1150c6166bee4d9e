/* Every mode of sending, blocking and not, with sizes around the protocols' limits, contiguous and
 * strided, in a ring (with one rank: to itself). */
#include "mpitest.h"

#define N_SIZES 12
static const int sizes[N_SIZES] = { 0,    1,    7,     40,     64,      1000,
                                    4096, 8193, 65536, 100001, 1 << 20, 3000001 };

static int rank, size, dest, source;

typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static unsigned char value(int who, int n, int i)
{
    return (unsigned char) (who * 41 + n * 7 + i * 3 + (i >> 8));
}

static void check(const unsigned char *buf, int n, int stride, const char *what)
{
    for (int i = 0; i < n; i++) {
        if (buf[(long) i * stride] != value(source, n, i)) {
            MTEST_ERROR("%s, %d bytes, stride %d: byte %d is wrong", what, n, stride, i);
            return;
        }
    }
}

static void check_status(const MPI_Status *status, int n)
{
    int count;
    MTEST_INT_EQ(status->MPI_SOURCE, source);
    MTEST_INT_EQ(status->MPI_TAG, n % 1000);
    MTEST_MPI(MPI_Get_count(status, MPI_BYTE, &count));
    MTEST_INT_EQ(count, n);
}

/* Bytes at distance `stride`, as one item. */
static MPI_Datatype strided(int n, int stride)
{
    MPI_Datatype type;
    MTEST_MPI(MPI_Type_vector(n, 1, stride, MPI_BYTE, &type));
    MTEST_MPI(MPI_Type_commit(&type));
    return type;
}

static void nonblocking(isend_fn *isend, const char *what, int n, int out_stride, int in_stride)
{
    unsigned char *out = malloc((size_t) n * (size_t) out_stride + 1),
                  *in = calloc((size_t) n * (size_t) in_stride + 1, 1);
    MPI_Datatype out_type = strided(n, out_stride), in_type = strided(n, in_stride);
    MPI_Request request[2];
    MPI_Status status[2];
    for (int i = 0; i < n; i++)
        out[(long) i * out_stride] = value(rank, n, i);
    MTEST_MPI(MPI_Irecv(in, 1, in_type, source, n % 1000, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(isend(out, 1, out_type, dest, n % 1000, MPI_COMM_WORLD, &request[1]));
    MTEST_MPI(MPI_Type_free(&out_type)); /* the messages keep what they need */
    MTEST_MPI(MPI_Type_free(&in_type));
    MTEST_MPI(MPI_Waitall(2, request, status));
    MTEST_CHECK(request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL, "handles remain");
    check(in, n, in_stride, what);
    check_status(&status[0], n);
    free(out);
    free(in);
}

/* The even ranks send first; a rank alone and the last of an odd number receive beforehand. */
static void blocking(send_fn *send, const char *what, int n)
{
    unsigned char *out = malloc((size_t) n + 1), *in = calloc((size_t) n + 1, 1);
    MPI_Status status;
    MPI_Request request;
    for (int i = 0; i < n; i++)
        out[i] = value(rank, n, i);
    if (rank % 2 == 0 && size > 1 && !(size % 2 == 1 && rank == size - 1)) {
        MTEST_MPI(send(out, n, MPI_BYTE, dest, n % 1000, MPI_COMM_WORLD));
        MTEST_MPI(MPI_Recv(in, n, MPI_BYTE, source, n % 1000, MPI_COMM_WORLD, &status));
    } else {
        MTEST_MPI(MPI_Irecv(in, n, MPI_BYTE, source, n % 1000, MPI_COMM_WORLD, &request));
        MTEST_MPI(send(out, n, MPI_BYTE, dest, n % 1000, MPI_COMM_WORLD));
        MTEST_MPI(MPI_Wait(&request, &status));
    }
    check(in, n, 1, what);
    check_status(&status, n);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    MTEST_MPI(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    for (int i = 0; i < N_SIZES; i++) {
        blocking(MPI_Send, "MPI_Send", sizes[i]);
        blocking(MPI_Ssend, "MPI_Ssend", sizes[i]);
        blocking(MPI_Bsend, "MPI_Bsend", sizes[i]);
        for (int s = 0; s < 4; s++) {
            nonblocking(MPI_Isend, "MPI_Isend", sizes[i], 1 + (s & 1) * 2, 1 + (s >> 1));
            nonblocking(MPI_Issend, "MPI_Issend", sizes[i], 1 + (s & 1) * 2, 1 + (s >> 1));
            nonblocking(MPI_Ibsend, "MPI_Ibsend", sizes[i], 1 + (s & 1) * 2, 1 + (s >> 1));
        }
    }
    void *buffer;
    int room;
    MTEST_MPI(MPI_Buffer_detach(&buffer, &room));
    MTEST_CHECK(buffer == MPI_BUFFER_AUTOMATIC, "buffer is %p", buffer);
    MPI_Finalize();
    return MTest_report(rank);
}
