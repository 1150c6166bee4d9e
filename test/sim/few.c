/* One of the few that are really there, in a job that is perhaps very large: RANK,RANK,RANK,RANK names them. What a session, a
 * communicator of them, messages, the world and groups of it cost in memory is printed, for million.py to compare. */
#include <sys/time.h>

#include "mpitest.h"

enum { REAL = 4, LARGE = 1 << 20 };

/* Lives with the process. */
static struct {
    int real[REAL]; /* world ranks */
    int n;
    double start;
    long before, whole; /* KiB of its own; with what it shares */
    char out[LARGE], in[LARGE]; /* written before the first figure: they are not the library's */
} sim;

static double now_us(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double) t.tv_sec * 1e6 + (double) t.tv_usec;
}

/* A figure of /proc/self in KiB; -1: it is not there. */
static long figure(const char *file, const char *name)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen(file, "r");
    while (f && kib < 0 && fgets(line, sizeof(line), f))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = atol(line + strlen(name));
    if (f)
        fclose(f);
    return kib;
}

static long own_memory(void)
{
    return figure("/proc/self/smaps_rollup", "Private_Dirty:");
}

/* From now on the peak is that of this step, where the system lets a process say so. */
static void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
}

static void begin(void)
{
    sim.before = own_memory();
    forget_peak();
    sim.whole = figure("/proc/self/status", "VmHWM:");
    sim.start = now_us();
}

/* One line: what was done since begin(), its time, the memory that it keeps, and that which it has taken at its peak. */
static void tell(const char *what)
{
    double us = now_us() - sim.start;
    long peak = figure("/proc/self/status", "VmHWM:") - sim.whole;
    printf("%s %.0f %ld %ld\n", what, us, own_memory() - sim.before, peak);
    fflush(stdout);
}

/* ---- the four ---------------------------------------------------------------------------------- */

static void exchange(MPI_Comm comm, int bytes)
{
    int rank;
    char *out = sim.out, *in = sim.in;
    MPI_Comm_rank(comm, &rank);
    memset(out, 'a' + rank, (size_t) bytes);
    for (int step = 1; step < REAL; step++) {
        int to = (rank + step) % REAL, from = (rank + REAL - step) % REAL;
        MTEST_MPI(MPI_Sendrecv(out, bytes, MPI_CHAR, to, step, in, bytes, MPI_CHAR, from, step, comm, MPI_STATUS_IGNORE));
        MTEST_CHECK(in[0] == 'a' + from && in[bytes - 1] == 'a' + from, "%d bytes of %d: %c, %c", bytes, from, in[0],
                    in[bytes - 1]);
    }
}

static void talk(MPI_Comm comm, int world_rank)
{
    int all[REAL] = { 0 }, sum = 0, one = 1, root = world_rank;
    exchange(comm, 8);
    exchange(comm, 2048);
    exchange(comm, LARGE);
    MTEST_MPI(MPI_Barrier(comm));
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, REAL);
    MTEST_MPI(MPI_Bcast(&root, 1, MPI_INT, REAL - 1, comm));
    MTEST_INT_EQ(root, sim.real[REAL - 1]);
    MTEST_MPI(MPI_Allgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, comm));
    MTEST_CHECK(memcmp(all, sim.real, sizeof(all)) == 0, "allgather: %d %d %d %d", all[0], all[1], all[2], all[3]);
}

static MPI_Comm comm_of_real(MPI_Group world, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MTEST_MPI(MPI_Group_incl(world, REAL, sim.real, &group));
    MTEST_MPI(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    MPI_Group_free(&group);
    return comm;
}

static void session_of_real(const char *tag)
{
    int rank, size;
    MPI_Group world;
    MPI_Session session = MTest_session();
    MTEST_MPI(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    MPI_Group_size(world, &size);
    MPI_Group_rank(world, &rank);
    MTEST_INT_EQ(size, sim.n);
    MPI_Comm comm = comm_of_real(world, tag);
    talk(comm, rank);
    MPI_Group_free(&world);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
}

/* ---- groups of the world ----------------------------------------------------------------------- */

static void check_size(MPI_Group group, int expected)
{
    int size;
    MPI_Group_size(group, &size);
    MTEST_INT_EQ(size, expected);
    if (expected > 0)
        MPI_Group_free(&group);
}

static void compare(MPI_Group a, MPI_Group b, int expected)
{
    int result;
    MTEST_MPI(MPI_Group_compare(a, b, &result));
    MTEST_INT_EQ(result, expected);
}

static void against_world(MPI_Group world, MPI_Group few)
{
    MPI_Group g;
    MTEST_MPI(MPI_Group_intersection(world, few, &g));
    check_size(g, REAL);
    MTEST_MPI(MPI_Group_intersection(few, world, &g));
    check_size(g, REAL);
    MTEST_MPI(MPI_Group_union(world, few, &g));
    compare(g, world, MPI_IDENT);
    check_size(g, sim.n);
    MTEST_MPI(MPI_Group_difference(few, world, &g));
    check_size(g, 0);
    compare(world, few, sim.n == REAL ? MPI_IDENT : MPI_UNEQUAL);
}

static void ranges_of(MPI_Group world)
{
    MPI_Group evens, back, most, g;
    int even[1][3] = { { 0, sim.n - 1, 2 } }, reverse[1][3] = { { sim.n - 1, 0, -1 } }, first[1][3] = { { 0, 0, 1 } };
    int two[2][3] = { { sim.n - 1, sim.n - 2, -1 }, { 0, 1, 1 } }, last = sim.n - 1;
    MTEST_MPI(MPI_Group_range_incl(world, 1, even, &evens));
    MTEST_MPI(MPI_Group_range_incl(world, 1, reverse, &back));
    compare(world, back, MPI_SIMILAR);
    MTEST_MPI(MPI_Group_range_excl(world, 1, first, &most));
    MTEST_MPI(MPI_Group_excl(most, 1, &(int) { last - 1 }, &g));
    check_size(g, sim.n - 2);
    MTEST_MPI(MPI_Group_range_incl(world, 2, two, &g));
    check_size(g, 4);
    check_size(evens, (sim.n + 1) / 2);
    check_size(back, sim.n);
    check_size(most, last);
}

static void groups_of(MPI_Comm comm)
{
    MPI_Group world, few;
    int place[REAL], index[REAL] = { 0, 1, 2, 3 };
    MPI_Comm_group(comm, &world);
    MTEST_MPI(MPI_Group_incl(world, REAL, sim.real, &few));
    MTEST_MPI(MPI_Group_translate_ranks(few, REAL, index, world, place));
    MTEST_CHECK(memcmp(place, sim.real, sizeof(place)) == 0, "translated to %d %d %d %d", place[0], place[1], place[2], place[3]);
    MTEST_MPI(MPI_Group_translate_ranks(world, REAL, sim.real, few, place));
    MTEST_CHECK(memcmp(place, index, sizeof(place)) == 0, "translated to %d %d %d %d", place[0], place[1], place[2], place[3]);
    against_world(world, few);
    ranges_of(world);
    MPI_Group_free(&few);
    MPI_Group_free(&world);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void world_and_groups(int *argc, char ***argv)
{
    int rank, size;
    MPI_Group world, few;
    begin();
    MTest_init_world(argc, argv, &rank, &size);
    MTEST_INT_EQ(size, sim.n);
    tell("world");
    begin();
    groups_of(MPI_COMM_WORLD);
    tell("groups");
    begin();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm comm = comm_of_real(world, "in the world"), again, part;
    talk(comm, rank);
    MPI_Comm_group(comm, &few);
    MTEST_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, few, 7, &part));
    talk(part, rank);
    MTEST_MPI(MPI_Comm_dup(part, &again));
    talk(again, rank);
    MPI_Group_free(&few);
    MPI_Group_free(&world);
    MPI_Comm_free(&again);
    MPI_Comm_free(&part);
    MPI_Comm_free(&comm);
    tell("comm");
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    MPI_Session session;
    if (argc < 3 || sscanf(argv[1], "%d,%d,%d,%d", &sim.real[0], &sim.real[1], &sim.real[2], &sim.real[3]) != REAL) {
        fprintf(stderr, "usage: %s RANK,RANK,RANK,RANK SIZE\n", argv[0]);
        return 2;
    }
    sim.n = atoi(argv[2]);
    memset(sim.out, 1, LARGE);
    memset(sim.in, 1, LARGE);
    begin();
    session = MTest_session();
    tell("init");
    MPI_Session_finalize(&session);
    begin();
    session_of_real("first");
    tell("session");
    begin();
    session_of_real("second");
    tell("again");
    world_and_groups(&argc, &argv);
    return MTest_report(-1) != 0;
}
