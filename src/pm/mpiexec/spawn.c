/* Start one process. See spawn.h. */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpichconf.h"
#include "mpl.h"
#include "signals.h"
#if defined(__linux__) && !defined(MPL_PORTABLE)
#include <sys/prctl.h>
#endif

/* Lives with the process. */
static struct {
    bool raised;
    struct rlimit old;
} fd_limit;

/* ---- finding programs ------------------------------------------------------------------------ */

/* 0 if it is a file that we may run, else an errno. */
static int is_program(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* "dir/name"; relative to wdir if dir is relative. */
static int try_dir(const char *wdir, const char *dir, size_t len, const char *name, char *path,
                   size_t size)
{
    bool relative = len == 0 || dir[0] != '/';
    int n = snprintf(path, size, "%s%s%.*s%s%s", relative && wdir ? wdir : "",
                     relative && wdir ? "/" : "", (int) len, dir, len ? "/" : "", name);

    return n >= (int) size ? ENAMETOOLONG : is_program(path);
}

int PM_find_program(const char *name, const char *wdir, char *path, size_t size)
{
    const char *list = getenv("PATH");
    int result = ENOENT;

    if (strchr(name, '/'))
        /* exec says what is wrong with it, after the chdir */
        return MPL_strcpy(path, size, name) ? 0 : ENAMETOOLONG;
    for (const char *p = list ? list : "/usr/local/bin:/usr/bin:/bin";; p++) {
        size_t len = strcspn(p, ":");
        int err = try_dir(wdir, p, len, name, path, size);
        if (err == 0 && path[0] == '/')
            return 0;
        if (err == EACCES)
            result = EACCES;
        p += len;
        if (!*p)
            break;
    }
    /* a user who forgets the ./ means the one that is there */
    if (try_dir(wdir, "", 0, name, path, size) == 0) {
        snprintf(path, size, "./%s", name);
        return 0;
    }
    MPL_strcpy(path, size, name);
    return result;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

long PM_fd_limit_raise(long more)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    fd_limit.old = limit;
    if (limit.rlim_cur == RLIM_INFINITY || (rlim_t) more <= limit.rlim_cur)
        return 0;
    if (limit.rlim_max != RLIM_INFINITY && (rlim_t) more > limit.rlim_max)
        return (long) limit.rlim_max;
    limit.rlim_cur = (rlim_t) more;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return (long) fd_limit.old.rlim_cur;
    fd_limit.raised = true;
    return 0;
}

/* Standard input, output and error. None of the descriptors is below 3, except 0 as itself. */
static void set_std(const int std[3])
{
    int null = -1;

    for (int i = 0; i < 3; i++) {
        int fd = std[i];
        if (fd < 0 && null < 0)
            null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (fd < 0)
            fd = null;
        if (fd != i)
            dup2(fd, i);
    }
}

/* ---- the child ------------------------------------------------------------------------------- */

static void fail(const PM_child *child, PM_step step, int err)
{
    PM_exec_failure f = { child->rank, step, err };

    while (write(child->report_fd, &f, sizeof(f)) < 0 && errno == EINTR)
        ;
    _exit(err == ENOENT || err == ENOTDIR ? 127 : 126);
}

/* A script without #! is given to the shell, as execvp() does. */
static void exec_script(const PM_child *child)
{
    int argc = 0;

    while (child->argv[argc])
        argc++;
    char **argv = malloc((size_t) (argc + 2) * sizeof(*argv));
    if (!argv)
        return;
    argv[0] = "/bin/sh";
    argv[1] = (char *) child->path;
    for (int i = 1; i <= argc; i++)
        argv[i + 1] = child->argv[i];
    execve(argv[0], argv, child->env);
}

/* Ask the kernel to kill us when mpiexec dies; it may be dead already. */
static void die_with(pid_t parent)
{
#if defined(__linux__) && !defined(MPL_PORTABLE)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(126);
#ifdef PR_SET_PTRACER
    /* Where only ancestors may look into a process (yama): our descendants may, too. Debuggers that
     * mpiexec starts need that, and ranks that read each other's memory. */
    prctl(PR_SET_PTRACER, parent);
#endif
#else
    (void) parent;
#endif
}

static void run_child(const PM_child *child, pid_t parent)
{
    setpgid(0, 0);
    die_with(parent);
    /* by the child: mpiexec may be killed before it comes to it, and when we exec, others may be
     * started */
    PM_guard_add(child->guard, getpid());
    if (child->wdir && chdir(child->wdir) != 0)
        fail(child, PM_STEP_WDIR, errno);
    set_std(child->std);
    for (size_t i = 0; i < MPL_ARRAY_SIZE(child->keep); i++) {
        if (child->keep[i] >= 0)
            fcntl(child->keep[i], F_SETFD, 0);
    }
    int err = child->cpus ? PM_bind_me(child->cpus) : 0;
    if (err)
        fail(child, PM_STEP_BIND, err);
    if (fd_limit.raised)
        setrlimit(RLIMIT_NOFILE, &fd_limit.old);
    PM_signals_restore();
    execve(child->path, child->argv, child->env);
    if (errno == ENOEXEC)
        exec_script(child);
    fail(child, PM_STEP_EXEC, errno);
}

pid_t PM_spawn(const PM_child *child)
{
    pid_t parent = getpid();
    sigset_t mask = PM_signals_hold();
    pid_t pid = fork();

    if (pid == 0)
        run_child(child, parent);
    int err = errno;
    if (pid > 0)
        setpgid(pid, pid); /* the child does it, too; whoever is later finds it done */
    PM_signals_release(&mask);
    return pid > 0 ? pid : -err;
}
