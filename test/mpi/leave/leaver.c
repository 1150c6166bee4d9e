/* One process of a job that leaves in the way that the argument names; leave.py runs it and looks at what is left. No test by
 * itself. Ranks other than `actor` (0) leave by returning from main after a finalize, or wait for the end. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpitest.h"

static struct sigaction before[65];
static int n_fds_before;

static void note_signals(void)
{
    for (int s = 1; s < 65; s++)
        sigaction(s, NULL, &before[s]);
}

static int same_mask(const sigset_t *a, const sigset_t *b)
{
    int same = 1;
    for (int s = 1; s < 65; s++)
        same &= sigismember(a, s) == sigismember(b, s);
    return same;
}

/* What libc adds to the flags of all that is set by it, SIG_DFL included: an action that was put back has it. */
enum { RESTORER = 0x04000000 };

static int same_action(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & ~RESTORER) == 0
        && same_mask(&a->sa_mask, &b->sa_mask);
}

/* The library installs no handlers and takes none away. */
static void check_signals(void)
{
    for (int s = 1; s < 65; s++) {
        struct sigaction now;
        if (sigaction(s, NULL, &now) == 0)
            MTEST_CHECK(same_action(&now, &before[s]), "action of signal %d changed", s);
    }
}

static int count_fds(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static MPI_Comm comm;
static MPI_Session session;
static int rank, size;

static void begin(void)
{
    session = MTest_session();
    comm = MTest_session_comm(session, "mpi://WORLD", "leave");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int one = 1, sum = 0;
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, size);
}

static void end(void)
{
    MTEST_MPI(MPI_Barrier(comm));
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
}

/* ---- the ways ---------------------------------------------------------------------------------------------- */

static void by_return(void) { end(); }

static void by_exit_7(void)
{
    end();
    if (rank == 0)
        exit(7);
}

static void by__exit(void)
{
    end();
    fflush(NULL);
    _exit(MTest_errs != 0);
}

static void hang(void)
{
    int got;
    MPI_Recv(&got, 1, MPI_INT, 0, 99, comm, MPI_STATUS_IGNORE); /* never sent */
}

/* The actor leaves so; the others wait for a message that never comes. */
static void others_hang(void)
{
    if (rank != 0)
        hang();
}

static void by_exit_unfinalized(void) { others_hang(), exit(0); }
static void by__exit_unfinalized(void) { others_hang(), _exit(0); }
static void by_abort(void) { others_hang(), abort(); }
static void by_mpi_abort(void) { others_hang(), MPI_Abort(comm, 3); }
static void by_sigkill(void) { others_hang(), kill(getpid(), SIGKILL), pause(); }
static void by_sigterm(void) { others_hang(), kill(getpid(), SIGTERM), pause(); }
static void by_fatal_error(void)
{
    others_hang();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Send(NULL, 0, MPI_INT, 4711, 0, comm);
}

/* A forked child leaves by exit in the middle of an epoch, another between epochs: MPI goes on. */
static void child_exits(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        exit(0);
    waitpid(pid, &status, 0);
    MTEST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child's status is %x", status);
}

static void by_fork(void)
{
    child_exits();
    MTEST_MPI(MPI_Barrier(comm));
    end();
    child_exits();
    begin();
    end();
}

static void finalize_hook(void) { end(); }

/* Registered after init, so it runs before the library's own. */
static void by_hook_after(void) { atexit(finalize_hook); }

static void session_hook(void)
{
    begin();
    end();
}

static void by_session_in_hook(void)
{
    end();
    atexit(session_hook);
}

static void question_hook(void)
{
    int flag = -1;
    MPI_Finalized(&flag);
    if (flag != 0)
        _exit(99);
}

/* Registered before init in main: it runs after the library's own. */
static void by_hook_before(void) {}

static void many_epochs(void)
{
    end();
    int n = count_fds();
    for (int i = 0; i < 50; i++) {
        begin();
        end();
    }
    /* A peer that has left may take its connection with it; one that is asked whether it lives has one more. */
    int apart = MTest_looks_like_several();
    MTEST_CHECK(count_fds() <= n + (apart ? size - 1 : 0), "%d descriptors, after the first epoch %d", count_fds(), n);
    /* A network library keeps a few for each endpoint and peer. */
    int few = apart ? 40 : 4;
    MTEST_CHECK(n - n_fds_before <= few, "%d descriptors more than before MPI", n - n_fds_before);
}

static const struct {
    const char *name;
    void (*go)(void);
} ways[] = {
    { "return", by_return },
    { "exit_7", by_exit_7 },
    { "_exit", by__exit },
    { "exit_unfinalized", by_exit_unfinalized },
    { "_exit_unfinalized", by__exit_unfinalized },
    { "abort", by_abort },
    { "mpi_abort", by_mpi_abort },
    { "sigkill", by_sigkill },
    { "sigterm", by_sigterm },
    { "fatal_error", by_fatal_error },
    { "fork", by_fork },
    { "hook_after", by_hook_after },
    { "hook_before", by_hook_before },
    { "session_in_hook", by_session_in_hook },
    { "many_epochs", many_epochs },
};

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "return";
    note_signals();
    n_fds_before = count_fds();
    atexit(question_hook);
    if (strcmp(way, "hook_before") == 0)
        atexit(finalize_hook);
    begin();
    check_signals();
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(way, ways[i].name) == 0)
            ways[i].go();
    check_signals();
    return MTest_errs != 0;
}
