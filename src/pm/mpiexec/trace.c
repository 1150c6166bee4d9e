/* Backtraces of other processes. See trace.h. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpl.h"
#include "signals.h"
#include "spawn.h"

/* ---- in the helper process ------------------------------------------------------------------- */

static void exec_gdb(pid_t pid)
{
    char path[1024], number[24];

    if (PM_find_program("gdb", NULL, path, sizeof(path)) != 0 || path[0] != '/')
        return; /* what lies about under that name in the working directory is not meant */
    snprintf(number, sizeof(number), "%ld", (long) pid);
    unsetenv("DEBUGINFOD_URLS"); /* no look-up on the network for the sake of line numbers */
    char *argv[] = {
        "gdb", "-nx",  "-q", "-batch", "-ex", "set pagination off", "-ex", "thread apply all bt 50",
        "-p",  number, NULL
    };
    execv(path, argv);
}

/* Print a small file of /proc/PID on one line. */
static void print_file(pid_t pid, const char *name)
{
    char path[64], text[400];

    snprintf(path, sizeof(path), "/proc/%ld/%s", (long) pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (n > 0) {
        text[n] = '\0';
        printf("# %s: %s\n", path, text);
    }
    if (fd >= 0)
        close(fd);
}

static void print_proc(pid_t pid)
{
    printf("# no backtrace: no gdb here that could attach, and no libunwind\n");
    print_file(pid, "wchan");
    print_file(pid, "syscall");
    print_file(pid, "stack");
    fflush(stdout);
}

static void run_helper(pid_t pid, int out, bool gdb)
{
    int null = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    dup2(null, 0);
    dup2(out, 1);
    dup2(null, 2);
    PM_signals_restore();
    if (gdb)
        exec_gdb(pid);
    if (!PM_trace_unwind(pid))
        print_proc(pid);
    _exit(0);
}

/* ---- in mpiexec ------------------------------------------------------------------------------ */

/* Of what gdb says, only the frames and the threads are of interest. */
static void show_line(PM_trace *trace)
{
    trace->line[trace->len] = '\0';
    trace->len = 0;
    if (trace->line[0] == '#' || strncmp(trace->line, "Thread ", 7) == 0) {
        trace->show(trace->arg, trace->line);
        trace->shown++;
    }
}

static void take_text(PM_trace *trace, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            show_line(trace);
        else if (trace->len < sizeof(trace->line) - 1)
            trace->line[trace->len++] = text[i];
    }
}

void PM_trace_cancel(PM_trace *trace)
{
    if (!trace->active)
        return;
    trace->active = false;
    PM_loop_timer(trace->loop, PM_TIMER_TRACE, 0, NULL, NULL);
    PM_loop_remove(trace->loop, trace->place);
    close(trace->fd);
    if (trace->helper > 0)
        kill(-trace->helper, SIGKILL);
    while (trace->helper > 0 && waitpid(trace->helper, NULL, 0) < 0 && errno == EINTR)
        ;
    trace->helper = 0;
}

static bool start_helper(PM_trace *trace, bool gdb);

static void finish(PM_trace *trace)
{
    if (trace->len)
        show_line(trace);
    PM_trace_cancel(trace);
    if (trace->shown == 0 && trace->gdb && start_helper(trace, false))
        return; /* gdb could not attach, or there is none */
    trace->done(trace->arg);
}

static void on_time(void *arg)
{
    PM_trace *trace = arg;

    trace->len = 0;
    trace->shown++;
    trace->show(trace->arg, "# the debugger took too long");
    finish(trace);
}

static void on_text(void *arg, int id, short revents)
{
    PM_trace *trace = arg;
    char text[4096];

    (void) id;
    (void) revents;
    ssize_t n = read(trace->fd, text, sizeof(text));
    if (n > 0)
        take_text(trace, text, (size_t) n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        finish(trace);
}

static bool start_helper(PM_trace *trace, bool gdb)
{
    int fd[2];

    if (pipe(fd) != 0)
        return false;
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    sigset_t mask = PM_signals_hold();
    trace->helper = fork();
    if (trace->helper == 0)
        run_helper(trace->pid, fd[1], gdb);
    PM_signals_release(&mask);
    close(fd[1]);
    trace->fd = fd[0];
    trace->len = 0;
    trace->gdb = gdb;
    trace->place =
        PM_loop_add(trace->loop, fd[0], POLLIN, (PM_watch) { .fn = on_text, .arg = trace });
    if (trace->helper < 0 || trace->place < 0) {
        close(fd[0]);
        return false;
    }
    trace->active = true;
    setpgid(trace->helper, trace->helper);
    PM_loop_timer(trace->loop, PM_TIMER_TRACE, trace->deadline, on_time, trace);
    return true;
}

bool PM_trace_start(PM_trace *trace, pid_t pid, uint64_t deadline)
{
    trace->pid = pid;
    trace->deadline = deadline;
    trace->shown = 0;
    return start_helper(trace, true);
}
