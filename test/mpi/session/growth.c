/* Memory does not grow with the number of epochs. First argument: pairs (empty session pairs), comms (epochs with a communicator, a
 * dup of it, a group and messages), left (the same, and the user frees nothing); then how many. */
#include "ring.h"

#ifdef __SANITIZE_ADDRESS__
enum { ALLOWED_KIB = 1 << 30 }; /* freed memory is kept from reuse; what leaks is told at exit */
#else
enum { ALLOWED_KIB = 512 };
#endif
enum { WARM_UP = 300 };

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

static long open_files(void)
{
    long n = 0;
    char path[64];
    for (int fd = 0; fd < 256; fd++) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        FILE *file = fopen(path, "r");
        if (file) {
            fclose(file);
            n++;
        }
    }
    return n;
}

static void empty_pair(void)
{
    MPI_Session session = MTest_session();
    MTEST_MPI(MPI_Session_finalize(&session));
}

static int whole_epoch(int i, int leave)
{
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "growth"), copy;
    MPI_Group group;
    MPI_Request req;
    int rank, never;
    MPI_Comm_rank(comm, &rank);
    MTEST_MPI(MPI_Comm_dup(comm, &copy));
    MTEST_MPI(MPI_Comm_group(copy, &group));
    ring_check(copy, i);
    if (leave) {
        MTEST_MPI(MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 9, copy, &req));
    } else {
        MTEST_MPI(MPI_Group_free(&group));
        MTEST_MPI(MPI_Comm_free(&copy));
        MTEST_MPI(MPI_Comm_free(&comm));
    }
    MTEST_MPI(MPI_Session_finalize(&session));
    return rank;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "pairs";
    int n = argc > 2 ? atoi(argv[2]) : 1000, rank = whole_epoch(0, 0);
    long memory = 0, files = 0;
    for (int i = 0; i < n + WARM_UP; i++) {
        if (i == WARM_UP) {
            memory = resident_kib();
            files = open_files();
        }
        if (strcmp(what, "pairs") == 0)
            empty_pair();
        else
            whole_epoch(i, strcmp(what, "left") == 0);
    }
    long grown = resident_kib() - memory;
    MTEST_CHECK(memory < 0 || grown <= ALLOWED_KIB, "%ld KiB more after %d times (%s), from %ld", grown, n, what, memory);
    MTEST_INT_EQ(open_files(), files);
    return MTest_report(rank);
}
