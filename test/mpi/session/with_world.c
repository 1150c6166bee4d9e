/* Sessions before, inside, around and after the world; argument: a string of steps.
 *   W w   MPI_Init, MPI_Finalize      S s   open, close a session      each step checks what works then */
#include "ring.h"

enum { MAX = 16 };

static struct {
    MPI_Session session[MAX];
    MPI_Comm comm[MAX];
    int n, rank, world;
} now;

static void open_session(int step)
{
    char tag[32];
    snprintf(tag, sizeof(tag), "with_world/%d", step);
    now.session[now.n] = MTest_session();
    now.comm[now.n] = MTest_session_comm(now.session[now.n], "mpi://WORLD", tag);
    MPI_Comm_rank(now.comm[now.n], &now.rank);
    now.n++;
}

static void close_session(void)
{
    now.n--;
    MTEST_MPI(MPI_Comm_free(&now.comm[now.n]));
    MTEST_MPI(MPI_Session_finalize(&now.session[now.n]));
}

static void check(int step, int initialized, int finalized)
{
    int flag = -1;
    MPI_Initialized(&flag);
    MTEST_INT_EQ(flag, initialized);
    MPI_Finalized(&flag);
    MTEST_INT_EQ(flag, finalized);
    for (int i = 0; i < now.n; i++)
        ring_check(now.comm[i], step * 10 + i);
    if (now.world) {
        ring_check(MPI_COMM_WORLD, step);
        ring_check(MPI_COMM_SELF, step);
    }
}

int main(int argc, char **argv)
{
    int initialized = 0, finalized = 0;
    const char *steps = argc > 1 ? argv[1] : "SsWSswSs";
    for (int i = 0; steps[i]; i++) {
        switch (steps[i]) {
            case 'W':
                MTEST_MPI(MPI_Init(&argc, &argv));
                MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
                initialized = now.world = 1;
                break;
            case 'w':
                now.world = 0;
                MTEST_MPI(MPI_Finalize());
                finalized = 1;
                break;
            case 'S':
                open_session(i);
                break;
            case 's':
                close_session();
                break;
        }
        check(i, initialized, finalized);
    }
    return MTest_report(now.rank);
}
