/* P2: all legal orders of one world pair, two session pairs and two MPI_T pairs, each in a child process of its own where the
 * world must come once; run as a singleton. */
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"

/* Steps: W w world, A a and B b sessions, T t and U u MPI_T. */
static const char *const pairs[] = { "Ww", "Aa", "Bb", "Tt", "Uu" };
enum { PAIRS = 5, STEPS = 10 };

static MPI_Session session[2];

static void session_step(int i, int opening)
{
    if (opening)
        session[i] = MTest_session();
    else
        MTEST_MPI(MPI_Session_finalize(&session[i]));
}

static void step(char c)
{
    int provided;
    switch (c) {
        case 'W':
            MTEST_MPI(MPI_Init(NULL, NULL));
            ring_check(MPI_COMM_WORLD, 1);
            break;
        case 'w':
            MTEST_MPI(MPI_Finalize());
            break;
        case 'A':
        case 'a':
        case 'B':
        case 'b':
            session_step(c == 'B' || c == 'b', c == 'A' || c == 'B');
            break;
        case 'T':
        case 'U':
            MTEST_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
            break;
        case 't':
        case 'u':
            MTEST_MPI(MPI_T_finalize());
            break;
    }
}

static int run(const char *order)
{
    for (int i = 0; order[i]; i++) {
        step(order[i]);
        for (int k = 0; k < 2; k++)
            if (session[k] != MPI_SESSION_NULL && strchr("Aa", order[i]) == NULL) {
                MPI_Comm c = MTest_session_comm(session[k], "mpi://SELF", "orders");
                ring_check(c, i);
                MPI_Comm_free(&c);
            }
    }
    return MTest_errs;
}

/* A child runs the order; its exit code says whether all was well. */
static void try_order(const char *order)
{
    pid_t pid = fork();
    int status = -1;
    if (pid == 0) {
        alarm(20);
        session[0] = session[1] = MPI_SESSION_NULL;
        exit(run(order) != 0);
    }
    waitpid(pid, &status, 0);
    MTEST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "order %s: status %x", order, status);
}

/* Extend a prefix by each pair's next step. Every `stride`-th of the orders is run. */
static void all_orders(char *order, int n, int *at, long *count, long stride)
{
    if (n == STEPS) {
        if ((*count)++ % stride == 0)
            try_order(order);
        return;
    }
    for (int p = 0; p < PAIRS; p++) {
        if (at[p] == 2 || (p == 2 && at[1] < at[2] + 1) || (p == 4 && at[3] < at[4] + 1))
            continue; /* B follows A step by step: the two are alike; so U and T */
        order[n] = pairs[p][at[p]++];
        all_orders(order, n + 1, at, count, stride);
        at[p]--;
    }
}

int main(int argc, char **argv)
{
    char order[STEPS + 1] = "";
    int at[PAIRS] = { 0 };
    long count = 0;
    all_orders(order, 0, at, &count, argc > 1 ? atol(argv[1]) : 97);
    MTEST_CHECK(count > 10000, "only %ld orders", count);
    return MTest_report(0);
}
