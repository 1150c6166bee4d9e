/* The guard. See guard.h. */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpichconf.h"
#include "mpl.h"
#include "signals.h"
#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct Groups {
    int n, max;
    pid_t *pid;
} Groups;

/* A positive number adds the group, a negative one takes it away. */
static void note(Groups *g, pid_t pid)
{
    if (pid > 0) {
        if (g->n == g->max) {
            int max = g->max ? g->max * 2 : 64;
            pid_t *grown = realloc(g->pid, (size_t) max * sizeof(*grown));
            if (!grown)
                return;
            g->pid = grown;
            g->max = max;
        }
        g->pid[g->n++] = pid;
        return;
    }
    for (int i = 0; i < g->n; i++) {
        if (g->pid[i] == -pid) {
            g->pid[i] = g->pid[--g->n];
            return;
        }
    }
}

/* The whole life of the guard. */
static void watch(int fd)
{
    Groups groups = { 0 };
    pid_t pid[64];
    size_t have = 0; /* bytes */

    for (;;) {
        ssize_t n = read(fd, (char *) pid + have, sizeof(pid) - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        have += (size_t) n;
        size_t whole = have / sizeof(pid[0]);
        for (size_t i = 0; i < whole; i++)
            note(&groups, pid[i]);
        have -= whole * sizeof(pid[0]);
        if (have)
            pid[0] = pid[whole]; /* the piece of a number that has not come whole */
    }
    for (int i = 0; i < groups.n; i++)
        kill(-groups.pid[i], SIGKILL);
}

/* What mpiexec has open, and what an impolite parent left open in it. */
static void close_all_but(int keep_fd)
{
#ifdef HAVE_CLOSE_RANGE
    /* no loop: the ranks are being started meanwhile, on the same cores */
    if ((keep_fd == 3 || close_range(3, (unsigned) keep_fd - 1, 0) == 0)
        && close_range((unsigned) keep_fd + 1, ~0U, 0) == 0)
        return;
#endif
    for (int i = 3; i < 64; i++) {
        if (i != keep_fd)
            close(i);
    }
}

/* What the guard must not have in common with mpiexec: signals of the terminal, output that others
 * wait for the end of. All signals stay blocked. */
static void detach(int keep_fd)
{
    int null = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    for (int i = 0; i <= 2 && null >= 0; i++)
        dup2(null, i);
    close_all_but(keep_fd);
#if defined(__linux__) && !defined(MPL_PORTABLE)
    prctl(PR_SET_NAME, "mpiexec-guard");
#endif
}

int PM_guard_start(PM_guard *guard)
{
    int fd[2];

    *guard = (PM_guard) { .fd = -1 };
    if (pipe(fd) != 0)
        return -errno;
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    sigset_t mask = PM_signals_hold();
    guard->pid = fork();
    if (guard->pid == 0) {
        detach(fd[0]);
        watch(fd[0]);
        _exit(0);
    }
    int err = -errno;
    PM_signals_release(&mask);
    close(fd[0]);
    if (guard->pid < 0) {
        guard->pid = 0;
        close(fd[1]);
        return err;
    }
    guard->fd = fd[1];
    return 0;
}

static void tell(const PM_guard *guard, pid_t pid)
{
    /* a few bytes: whole or not at all; if the guard is gone there is nobody to tell (SIGPIPE is
     * ignored) */
    while (guard->fd >= 0 && write(guard->fd, &pid, sizeof(pid)) < 0 && errno == EINTR)
        ;
}

void PM_guard_add(const PM_guard *guard, pid_t group)
{
    tell(guard, group);
}

void PM_guard_drop(const PM_guard *guard, pid_t group)
{
    tell(guard, -group);
}

void PM_guard_stop(PM_guard *guard)
{
    if (guard->fd >= 0)
        close(guard->fd);
    guard->fd = -1;
    while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
}
