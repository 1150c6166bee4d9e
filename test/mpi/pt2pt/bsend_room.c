/* The attached buffer: how much fits (each message and MPI_BSEND_OVERHEAD), what happens when it
 * does not, reuse of room, attaching twice, detaching none. */
#include "mpitest.h"

#define BYTES                                                                                      \
    200000 /* more than any eager limit, so that messages stay in the buffer until received */
#define N 5

static int rank, size, dest, source;
static char out[BYTES], in[BYTES];

static void send_all(int n)
{
    for (int i = 0; i < n; i++) {
        memset(out, i + 1, BYTES);
        MTEST_MPI(MPI_Bsend(out, BYTES, MPI_BYTE, dest, i, MPI_COMM_WORLD));
    }
}

static void receive(int i)
{
    MTEST_MPI(MPI_Recv(in, BYTES, MPI_BYTE, source, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_CHECK(in[0] == i + 1 && in[BYTES - 1] == i + 1, "message %d: %d, %d", i, in[0],
                in[BYTES - 1]);
}

/* The buffer starts at an odd address and is exactly as large as the standard says is enough. */
static void exact_fit(void)
{
    int room = 0, each;
    MTEST_MPI(MPI_Pack_size(BYTES, MPI_BYTE, MPI_COMM_WORLD, &each));
    room = N * (each + MPI_BSEND_OVERHEAD);
    char *memory = malloc((size_t) room + 1), *back;
    int back_size;
    MTEST_MPI(MPI_Buffer_attach(memory + 1, room));
    MTEST_FAILS(MPI_Buffer_attach(memory + 1, room), MPI_ERR_BUFFER);
    send_all(N);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    MTEST_FAILS(MPI_Bsend(out, BYTES, MPI_BYTE, dest, 99, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Bsend(out, 1000, MPI_BYTE, dest, 99, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    receive(2); /* the room in the middle is used again */
    receive(0);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++) {
        int err; /* it takes progress to learn that a message has left */
        do {
            memset(out, 50 + i + 1, BYTES);
            err = MPI_Bsend(out, BYTES, MPI_BYTE, dest, 50 + i, MPI_COMM_WORLD);
            MPI_Iprobe(MPI_ANY_SOURCE, 98, MPI_COMM_WORLD, &(int) { 0 }, MPI_STATUS_IGNORE);
        } while (err != MPI_SUCCESS);
    }
    receive(1);
    receive(4);
    receive(3);
    receive(50);
    receive(51);
    MTEST_MPI(MPI_Buffer_detach(&back, &back_size));
    MTEST_CHECK(back == memory + 1 && back_size == room, "%p, %d", (void *) back, back_size);
    MTEST_FAILS(MPI_Buffer_detach(&back, &back_size), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Bsend(out, 1, MPI_BYTE, dest, 99, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    free(memory);
}

/* Small messages many times over, through a buffer for one: the room comes back at once. */
static void small_ones(void)
{
    char memory[100 + MPI_BSEND_OVERHEAD], *back;
    int back_size, x;
    MTEST_MPI(MPI_Buffer_attach(memory, sizeof(memory)));
    for (int i = 0; i < 1000; i++) {
        MPI_Request request;
        MTEST_MPI(MPI_Irecv(&x, 1, MPI_INT, source, 0, MPI_COMM_WORLD, &request));
        while (MPI_Bsend(&i, 1, MPI_INT, dest, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
            ;
        MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        MTEST_INT_EQ(x, i);
    }
    MTEST_MPI(MPI_Buffer_detach(&back, &back_size));
    MTEST_FAILS(MPI_Buffer_detach(&back, &back_size), MPI_ERR_BUFFER);
    MTEST_MPI(MPI_Buffer_attach(memory, 8)); /* useless, and legal */
    MTEST_FAILS(MPI_Bsend(&x, 0, MPI_INT, dest, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MTEST_MPI(MPI_Buffer_detach(&back, &back_size));
    MTEST_INT_EQ(back_size, 8);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF,
                            MPI_ERRORS_RETURN); /* gets the errors of the process's buffer */
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    exact_fit();
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    small_ones();
    MPI_Finalize();
    return MTest_report(rank);
}
