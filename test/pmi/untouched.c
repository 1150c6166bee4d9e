/* After MPI_Init the environment and the signal actions are what they were. "abort": MPI_Abort with 7. */
#include <signal.h>

#include "mpitest.h"

extern char **environ;

static unsigned long sum_of_environment(void)
{
    unsigned long sum = 0;
    for (char **e = environ; *e; e++)
        for (const char *c = *e; *c; c++)
            sum = sum * 31 + (unsigned char) *c;
    return sum;
}

static void (*action_of(int number))(int)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 ? action.sa_handler : SIG_ERR;
}

int main(int argc, char **argv)
{
    void (*before[32])(int);
    unsigned long sum = sum_of_environment();
    for (int i = 1; i < 32; i++)
        before[i] = action_of(i);
    MTEST_MPI(MPI_Init(NULL, NULL));
    MTEST_CHECK(sum_of_environment() == sum, "the environment changed: %lx, before %lx", sum_of_environment(), sum);
    for (int i = 1; i < 32; i++)
        MTEST_CHECK(action_of(i) == before[i], "the action of signal %d changed", i);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Finalize();
    printf("untouched\n");
    return MTest_report(-1) != 0;
}
