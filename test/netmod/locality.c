/* The control variables that make one machine look like several, as MPI_Comm_split_type sees it; that a network module is
 * loaded if and only if there is another node; and that signals stay the user's. */
#include <signal.h>

#include "mpitest.h"

static int rank, size;

/* Libraries under a network module put handlers on these unless they are kept from it. */
static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static void mine(int number)
{
    (void) number;
}

static struct sigaction before[N_SIGNALS]; /* a sanitizer has handlers of its own */

static void take_signals(void)
{
    for (int i = 0; i < N_SIGNALS; i++) {
        if (i % 2)
            signal(signals[i], mine);
        sigaction(signals[i], NULL, &before[i]);
    }
}

static void check_signals(void)
{
    for (int i = 0; i < N_SIGNALS; i++) {
        struct sigaction now;
        sigaction(signals[i], NULL, &now);
        int same = now.sa_handler == before[i].sa_handler;
        MTEST_CHECK(same, "the action of signal %d has changed", signals[i]);
    }
}

static int clique_of(int r)
{
    int n = MTest_cvar_int("MPIR_CVAR_NUM_CLIQUES");
    if (MTest_cvar_int("MPIR_CVAR_NOLOCAL"))
        return r;
    if (n > 1)
        return r * n / size;
    return MTest_cvar_int("MPIR_CVAR_ODD_EVEN_CLIQUES") ? r % 2 : 0;
}

static int module_is_loaded(void)
{
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        found |= strstr(line, "netmod_") || strstr(line, "libfabric") || strstr(line, "libuc");
    if (maps)
        fclose(maps);
    return found;
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    int r, n, before = 0, mates = 0, one = 1, sum = 0;
    take_signals();
    MTest_init_world(&argc, &argv, &rank, &size);
    check_signals();
    for (int i = 0; i < size; i++) {
        mates += clique_of(i) == clique_of(rank);
        before += i < rank && clique_of(i) == clique_of(rank);
    }
    MTEST_INT_EQ(module_is_loaded(), mates < size);
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_rank(node, &r);
    MPI_Comm_size(node, &n);
    MTEST_INT_EQ(n, mates);
    MTEST_INT_EQ(r, before);
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, node));
    MTEST_INT_EQ(sum, mates);
    MTEST_MPI(MPI_Comm_free(&node));
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    MTEST_INT_EQ(sum, size);
    check_signals();
    MPI_Finalize();
    return MTest_report(rank);
}
