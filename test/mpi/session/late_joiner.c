/* P3: rank 0 sends to ranks that have not called MPI yet, finalizes and exits; only then they come, and find its messages. */
#include <fcntl.h>
#include <unistd.h>

#include "launched.h"
#include "mpitest.h"

enum { MEDIUM = 2048, LIMIT_MS = 20000 };

static const char marker[] = "rank-0-has-left"; /* in the run's own folder */

static void mark(void)
{
    close(open(marker, O_CREAT | O_WRONLY, 0600));
}

static void wait_for_mark(void)
{
    int ms = 0;
    while (access(marker, F_OK) != 0 && ms++ < LIMIT_MS)
        usleep(1000);
    MTEST_CHECK(ms < LIMIT_MS, "rank 0 has not left in %d ms: it waits for who has not come", ms);
    usleep(50 * 1000); /* and the process is gone, too */
}

static void send_all(int size)
{
    static char room[64 * (MEDIUM + MPI_BSEND_OVERHEAD)], text[MEDIUM];
    MTEST_MPI(MPI_Buffer_attach(room, sizeof(room)));
    for (int r = 1; r < size; r++) {
        memset(text, r, sizeof(text));
        MTEST_MPI(MPI_Bsend(&r, 1, MPI_INT, r, 1, MPI_COMM_WORLD));
        MTEST_MPI(MPI_Bsend(text, MEDIUM, MPI_CHAR, r, 2, MPI_COMM_WORLD));
    }
}

static void receive_all(int rank)
{
    char text[MEDIUM] = "";
    int got = -1;
    MTEST_MPI(MPI_Recv(text, MEDIUM, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(got, rank);
    MTEST_INT_EQ(text[0], rank);
    MTEST_INT_EQ(text[MEDIUM - 1], rank);
}

int main(int argc, char **argv)
{
    int rank = MTest_launched_rank(), size;
    if (rank == 0)
        atexit(mark); /* before the library's own hook, so that it runs after that */
    else
        wait_for_mark();
    MTest_init_world(&argc, &argv, &rank, &size);
    if (rank == 0)
        send_all(size);
    else
        receive_all(rank);
    MPI_Finalize();
    return MTest_report(rank);
}
