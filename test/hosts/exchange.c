/* Rounds of messages of several sizes between all ranks, each byte of which is checked, until the test says stop or a message
 * cannot come. What a rank has to say it writes to a file of its own, for no launcher brings it over a link that is cut:
 *   here.R    MPI is initialised
 *   going.R   twenty rounds are over          done.R   all is well, so many rounds
 *   lost.R    a line for each rank to or from which a message failed: its number, and the text of the error
 * Argument "fatal": the world with MPI_ERRORS_ARE_FATAL, which ends the job; else a session whose errors return. "late": rank 1
 * calls MPI only when the file "come" is there. */
#include <stdbool.h>
#include <unistd.h>

#include "launched.h"
#include "mpitest.h"

enum { LARGEST = 300000, RANKS_MAX = 16 };

static const int bytes[] = { 8, 4000, 70000, LARGEST, 64 };
static int rank, size;
static unsigned char *in[RANKS_MAX], *out[RANKS_MAX];
static MPI_Request request[2 * RANKS_MAX];
static MPI_Status status[2 * RANKS_MAX];

static FILE *begin_file(const char *name)
{
    char path[64];
    snprintf(path, sizeof(path), "part.%s.%d", name, rank);
    return fopen(path, "w");
}

/* Whoever sees it sees all of it. */
static void end_file(FILE *file, const char *name)
{
    char part[64], whole[64];
    snprintf(part, sizeof(part), "part.%s.%d", name, rank);
    snprintf(whole, sizeof(whole), "%s.%d", name, rank);
    fclose(file);
    rename(part, whole);
}

static unsigned char byte_of(int from, int to, int round, int i)
{
    return (unsigned char) (i * 7 + i / 251 + from * 31 + to * 17 + round);
}

/* The last byte of what rank 0 sends says whether this round is the last one. */
static void post(MPI_Comm comm, int round, bool last)
{
    int n = bytes[round % 5];
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < n; i++)
            out[r][i] = byte_of(rank, r, round, i);
        out[r][n - 1] = last;
        memset(in[r], 0, (size_t) n);
        MTEST_MPI(MPI_Irecv(in[r], n, MPI_BYTE, r, round % 100, comm, &request[r]));
    }
    for (int r = 0; r < size; r++)
        MTEST_MPI(MPI_Isend(out[r], n, MPI_BYTE, r, round % 100, comm, &request[size + r]));
}

static bool check(int round)
{
    int n = bytes[round % 5];
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n - 1; i++)
            if (in[r][i] != byte_of(r, rank, round, i)) {
                MTEST_ERROR("round %d: byte %d of %d from rank %d is %d", round, i, n, r, in[r][i]);
                return false;
            }
    return true;
}

static void tell_lost(void)
{
    FILE *file = begin_file("lost");
    for (int r = 0; r < size; r++) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int n, code = status[r].MPI_ERROR ? status[r].MPI_ERROR : status[size + r].MPI_ERROR;
        if (code == MPI_SUCCESS)
            continue;
        MPI_Error_string(code, text, &n);
        fprintf(file, "%d %s\n", r, text);
    }
    end_file(file, "lost");
}

static void wait_for(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(10000);
}

static void exchange(MPI_Comm comm)
{
    int round = 0;
    bool last = false;
    for (; !last; round++) {
        post(comm, round, rank == 0 && access("stop", F_OK) == 0);
        if (MPI_Waitall(2 * size, request, status) != MPI_SUCCESS) {
            tell_lost();
            return;
        }
        if (!check(round))
            return;
        last = in[0][bytes[round % 5] - 1];
        if (round == 20)
            end_file(begin_file("going"), "going");
    }
    FILE *file = begin_file("done");
    fprintf(file, "%d\n", round);
    end_file(file, "done");
}

static void with_session(void)
{
    MPI_Session session = MTest_session();
    end_file(begin_file("here"), "here");
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "exchange");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    exchange(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static void with_world(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange(MPI_COMM_WORLD);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    for (int r = 0; r < RANKS_MAX; r++) {
        in[r] = malloc(LARGEST);
        out[r] = malloc(LARGEST);
    }
    rank = MTest_launched_rank();
    if (argc > 1 && strcmp(argv[1], "late") == 0 && rank == 1)
        wait_for("come");
    if (argc > 1 && strcmp(argv[1], "fatal") == 0)
        with_world();
    else
        with_session();
    for (int r = 0; r < RANKS_MAX; r++) {
        free(in[r]);
        free(out[r]);
    }
    return MTest_report(rank);
}
