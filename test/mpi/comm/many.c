/* As many communicators as memory holds: 20,000 at once, and 100,000 made and freed, in bounded
 * memory. */
#include "mpitest.h"

enum { AT_ONCE = 20000, CYCLES = 100000 };

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &pages, &resident) != 2)
            resident = 0;
        fclose(f);
    }
    return resident * 4;
}

static void use(MPI_Comm comm)
{
    int one = 1, sum = 0, size;
    MPI_Comm_size(comm, &size);
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, size);
}

static void at_once(void)
{
    MPI_Comm *comm = malloc(AT_ONCE * sizeof *comm);
    long before = resident_kib();
    for (int i = 0; i < AT_ONCE; i++)
        MTEST_MPI(MPI_Comm_dup(i % 100 ? comm[i - 1] : MPI_COMM_WORLD, &comm[i]));
    long each = (resident_kib() - before) * 1024 / AT_ONCE;
    MTEST_CHECK(each < 1024, "%ld bytes each", each);
    for (int i = 0; i < AT_ONCE; i += 97)
        use(comm[i]);
    for (int i = 0; i < AT_ONCE; i++)
        MTEST_MPI(MPI_Comm_free(&comm[i]));
    free(comm);
}

static void cycles(void)
{
    MPI_Comm comm;
    long before = 0;
    for (int i = 0; i < CYCLES; i++) {
        if (i == CYCLES / 10)
            before = resident_kib();
        MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (i % 1000 == 0)
            use(comm);
        MTEST_MPI(MPI_Comm_free(&comm));
    }
    long growth = resident_kib() - before;
    MTEST_CHECK(growth < 1024, "%ld KiB more", growth);
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    at_once();
    cycles();
    MPI_Finalize();
    return MTest_report(rank);
}
