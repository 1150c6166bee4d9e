/* What MPI_INFO_ENV and MPI_Info_create_env tell. The argument: the name of the initial error handler. */
#include <unistd.h>

#include "mpitest.h"

static int has(MPI_Info info, const char *key, char *value, int size)
{
    int flag, len = size;
    MTEST_MPI(MPI_Info_get_string(info, key, &len, value, &flag));
    return flag;
}

/* expected NULL: the key is not there. */
static void expect(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL] = "";
    int flag = has(info, key, value, sizeof(value));
    MTEST_CHECK(flag == (expected != NULL), "%s is \"%s\", expected \"%s\"", key, flag ? value : "(not set)",
                expected ? expected : "(not set)");
    if (flag && expected)
        MTEST_STR_EQ(value, expected);
}

static void check(MPI_Info info, char **argv, const char *level, const char *maxprocs)
{
    char text[4096], arch[MPI_MAX_INFO_VAL];
    expect(info, "command", argv[0]);
    expect(info, "argv", argv[1]);
    expect(info, "maxprocs", maxprocs);
    expect(info, "thread_level", level);
    expect(info, "mpi_initial_errhandler", argv[1]);
    expect(info, "mpi_memory_alloc_kinds", "mpi,system");
    expect(info, "wdir", getcwd(text, sizeof(text)));
    gethostname(text, sizeof(text));
    expect(info, "host", text);
    MTEST_CHECK(has(info, "arch", arch, sizeof(arch)), "no arch");
}

static void check_created(int argc, char **argv, const char *level, const char *maxprocs)
{
    MPI_Info info;
    MTEST_MPI(MPI_Info_create_env(argc, argv, &info));
    check(info, argv, level, maxprocs);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    char maxprocs[16];
    check_created(argc, argv, NULL, NULL);
    MTEST_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(maxprocs, sizeof(maxprocs), "%d", size);
    check(MPI_INFO_ENV, argv, "MPI_THREAD_FUNNELED", maxprocs);
    check_created(argc, argv, "MPI_THREAD_FUNNELED", maxprocs);
    MPI_Finalize();
    check_created(argc, argv, "MPI_THREAD_FUNNELED", maxprocs);
    return MTest_report(rank);
}
