/* From the options to running ranks. See job.h. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpl.h"
#include "spawn.h"

/* ---- before the first fork ------------------------------------------------------------------- */

static bool refuse(PM_job *job, int code, const char *what, const char *why)
{
    PM_output_say(&job->out, "%s%s%s", what, why ? ": " : "", why ? why : "");
    job->exit_code = code;
    return false;
}

static bool out_of_memory(PM_job *job)
{
    return refuse(job, 1, "out of memory", NULL);
}

/* Ranks need three or four descriptors each here. */
static bool enough_descriptors(PM_job *job)
{
    long need = 4L * job->n + 64;
    long limit = PM_fd_limit_raise(need);
    char text[160];

    if (limit == 0)
        return true;
    snprintf(text, sizeof(text),
             "%d ranks need %ld open files, and the limit is %ld (raise it with ulimit -n)", job->n,
             need, limit);
    return refuse(job, 1, text, NULL);
}

static bool prepare_app(PM_job *job, int i)
{
    const PM_app *app = &job->o->app[i];
    char text[1200];

    job->env[i] = PM_env_new(&job->o->env, &app->env);
    if (!job->env[i])
        return out_of_memory(job);
    int err = PM_find_program(app->argv[0], app->wdir, job->path[i], sizeof(job->path[i]));
    if (err == 0)
        return true;
    snprintf(text, sizeof(text), "cannot start \"%s\": %s", app->argv[0],
             err == ENOENT ? "it is neither in PATH nor in the working directory" : strerror(err));
    return refuse(job, err == ENOENT ? 127 : 126, text, NULL);
}

static bool prepare_apps(PM_job *job)
{
    int n = job->o->n_apps;

    job->env = calloc((size_t) n, sizeof(*job->env));
    job->path = calloc((size_t) n, sizeof(*job->path));
    if (!job->env || !job->path)
        return out_of_memory(job);
    for (int i = 0; i < n; i++) {
        if (!prepare_app(job, i))
            return false;
    }
    return true;
}

static bool prepare_ranks(PM_job *job)
{
    int rank = 0;

    job->rank = calloc((size_t) job->n, sizeof(*job->rank));
    job->appnum = calloc((size_t) job->n, sizeof(*job->appnum));
    if (!job->rank || !job->appnum)
        return out_of_memory(job);
    for (int i = 0; i < job->o->n_apps; i++) {
        for (int k = 0; k < job->o->app[i].n; k++, rank++) {
            job->appnum[rank] = i;
            job->rank[rank] = (PM_rank) { .app = i, .pmi_fd = -1 };
        }
    }
    return true;
}

static void on_pmi_output(void *arg, int rank);

static bool prepare_pmi(PM_job *job)
{
    char name[80];
    uint64_t nonce = MPL_random();

    snprintf(name, sizeof(name), "kvs_%ld_%016llx", (long) getpid(), (unsigned long long) nonce);
    job->pmi = PM_pmi_new(&(PM_pmi_job) { .size = job->n,
                                          .appnum = job->appnum,
                                          .kvsname = name,
                                          .output = on_pmi_output,
                                          .arg = job });
    if (!job->pmi)
        return out_of_memory(job);
    int err = MPIR_Nodedir_create(job->n, nonce, &job->dir);
    if (err) {
        /* ranks then make one themselves, as under any other launcher */
        PM_output_say(&job->out, "warning: no shared memory for the node directory: %s",
                      strerror(-err));
        job->dir = (MPIR_Nodedir_ref) { .fd = -1 };
    }
    return true;
}

static bool prepare_binding(PM_job *job)
{
    char error[400];

    return PM_bind_plan(job->o->bind_to, job->o->map_by, &job->bind, error, sizeof(error)) ||
           refuse(job, PM_EXIT_USAGE, error, NULL);
}

/* ---- a rank ---------------------------------------------------------------------------------- */

/* The descriptors of a rank, its ends and ours. */
typedef struct Pipes {
    int theirs[3], ours[3];
    int their_pmi, our_pmi;
} Pipes;

static bool make_pipe(int *read_end, int *write_end)
{
    int fd[2];

    if (pipe(fd) != 0)
        return false;
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    *read_end = fd[0];
    *write_end = fd[1];
    return true;
}

static bool make_socketpair(int *ours, int *theirs)
{
    int fd[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0)
        return false;
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    *ours = fd[0];
    *theirs = fd[1];
    return true;
}

/* Does the rank read standard input, and if so, through us? A file or pipe is handed to it as it
 * is: it then reads what it needs and leaves the rest, as without mpiexec. A terminal cannot be
 * read from another process group. */
static bool is_fed(const PM_job *job, int rank, bool *through_us)
{
    int to = job->o->stdin_to;

    *through_us = to == PM_STDIN_ALL || job->feed.is_tty;
    return to == PM_STDIN_ALL || to == rank;
}

static bool make_pipes(PM_job *job, int rank, Pipes *p)
{
    bool through_us;

    *p = (Pipes) { { -1, -1, -1 }, { -1, -1, -1 }, -1, -1 };
    if (is_fed(job, rank, &through_us)) {
        p->theirs[0] = 0;
        if (through_us && !make_pipe(&p->theirs[0], &p->ours[0]))
            return false;
    }
    return make_pipe(&p->ours[1], &p->theirs[1]) && make_pipe(&p->ours[2], &p->theirs[2]) &&
           make_socketpair(&p->our_pmi, &p->their_pmi);
}

static void close_fd(int fd)
{
    if (fd > 2)
        close(fd);
}

static void close_theirs(const Pipes *p)
{
    for (int i = 0; i < 3; i++)
        close_fd(p->theirs[i]);
    close_fd(p->their_pmi);
}

static bool take_ours(PM_job *job, int rank, const Pipes *p)
{
    bool good = p->ours[0] < 0 || PM_feed_add(&job->feed, rank, p->ours[0]);

    good = PM_output_add(&job->out, rank, false, p->ours[1]) && good;
    good = PM_output_add(&job->out, rank, true, p->ours[2]) && good;
    return PM_job_pmi_add(job, rank, p->our_pmi) && good;
}

static pid_t spawn_rank(PM_job *job, int rank, const Pipes *p)
{
    const PM_app *app = &job->o->app[job->rank[rank].app];
    PM_rank_env env = { .rank = rank,
                        .size = job->n,
                        .pmi_fd = p->their_pmi,
                        .nodedir_fd = job->dir.fd,
                        .psets = job->o->psets,
                        .errhandler = job->o->errhandler };
    PM_child child = { .rank = rank,
                       .path = job->path[job->rank[rank].app],
                       .argv = app->argv,
                       .env = PM_env_of_rank(job->env[job->rank[rank].app], &env),
                       .wdir = app->wdir,
                       .std = { p->theirs[0], p->theirs[1], p->theirs[2] },
                       .keep = { p->their_pmi, job->dir.fd },
                       .report_fd = job->report_fd[1],
                       .cpus = PM_bind_of(&job->bind, rank),
                       .guard = &job->guard };

    return PM_spawn(&child);
}

static bool start_rank(PM_job *job, int rank)
{
    PM_rank *r = &job->rank[rank];
    Pipes p;

    bool piped = make_pipes(job, rank, &p);
    r->pid = piped ? spawn_rank(job, rank, &p) : -errno;
    close_theirs(&p);
    if (r->pid < 0) {
        int err = (int) -r->pid;
        for (int i = 0; i < 3; i++)
            close_fd(p.ours[i]);
        close_fd(p.our_pmi);
        r->pid = 0;
        PM_job_fail(job, 1, "cannot start rank %d: %s", rank, strerror(err));
        return false;
    }
    r->state = PM_RANK_RUNNING;
    job->n_running++;
    if (!take_ours(job, rank, &p)) {
        PM_job_fail(job, 1, "cannot start rank %d: out of memory", rank);
        return false;
    }
    if (job->o->verbose) {
        char cpus[200] = "any";
        if (PM_bind_of(&job->bind, rank))
            PM_cpus_text(PM_bind_of(&job->bind, rank), cpus, sizeof(cpus));
        PM_output_say(&job->out, "rank %d: pid %ld, cpus %s, %s", rank, (long) r->pid, cpus,
                      job->path[r->app]);
    }
    return true;
}

/* ---- failures of exec ------------------------------------------------------------------------ */

static void on_report(void *arg, int id, short revents)
{
    static const char *const doing[] = { "go to the directory", "bind it to cores for", "start" };
    PM_job *job = arg;
    PM_exec_failure f;
    ssize_t n;

    (void) id;
    (void) revents;
    while ((n = read(job->report_fd[0], &f, sizeof(f))) == (ssize_t) sizeof(f)) {
        const PM_app *app = &job->o->app[job->rank[f.rank].app];
        PM_job_fail(job, f.err == ENOENT || f.err == ENOTDIR ? 127 : 126,
                    "rank %d on %s: cannot %s \"%s\": %s", f.rank, job->host, doing[f.step],
                    f.step == PM_STEP_WDIR ? app->wdir : app->argv[0], strerror(f.err));
    }
    if (n == 0) { /* all have become what they should be */
        PM_loop_remove(&job->loop, job->report_place);
        close(job->report_fd[0]);
        job->report_fd[0] = -1;
    }
}

static bool open_report(PM_job *job)
{
    if (!make_pipe(&job->report_fd[0], &job->report_fd[1]))
        return refuse(job, 1, "cannot make a pipe", strerror(errno));
    fcntl(job->report_fd[0], F_SETFL, O_NONBLOCK);
    job->report_place = PM_loop_add(&job->loop, job->report_fd[0], POLLIN,
                                    (PM_watch) { .fn = on_report, .arg = job });
    return job->report_place >= 0 || out_of_memory(job);
}

void PM_job_pull_report(PM_job *job)
{
    if (job->report_fd[0] >= 0)
        on_report(job, 0, 0);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void on_pmi_output(void *arg, int rank)
{
    PM_job *job = arg;

    if (job->rank[rank].pmi_fd >= 0)
        PM_loop_want(&job->loop, job->rank[rank].pmi_place, POLLIN | POLLOUT);
}

static void start_all(PM_job *job)
{
    for (int rank = 0; rank < job->n && !job->failed; rank++)
        start_rank(job, rank);
    close(job->report_fd[1]);
    job->report_fd[1] = -1;
    close_fd(job->dir.fd); /* the mapping is enough for us */
    job->dir.fd = -1;
    if (job->o->stdin_to == PM_STDIN_ALL || (job->feed.is_tty && job->o->stdin_to != PM_STDIN_NONE))
        PM_feed_start(&job->feed);
    if (job->o->timeout > 0)
        PM_loop_timer(&job->loop, PM_TIMER_TIMEOUT,
                      MPL_now_ns() + (uint64_t) (job->o->timeout * 1e9), PM_job_on_timeout, job);
}

bool PM_job_start(PM_job *job, const PM_options *o, int signal_fd)
{
    *job = (PM_job) { .o = o,
                      .n = o->n_ranks,
                      .report_fd = { -1, -1 },
                      .dir.fd = -1,
                      .signal_fd = signal_fd,
                      .guard.fd = -1 };
    job->trace.loop = &job->loop;
    gethostname(job->host, sizeof(job->host) - 1);
    /* the guard first: it must not hold what is opened later */
    int err = PM_guard_start(&job->guard);
    if (!PM_output_open(&job->out, &job->loop, job->n, o->label) ||
        !PM_feed_open(&job->feed, &job->loop, job->n)) {
        fputs("mpiexec: out of memory\n", stderr);
        job->exit_code = 1;
        return false;
    }
    if (err)
        PM_output_say(&job->out,
                      "warning: no guard process (%s); if mpiexec is killed, processes may be left",
                      strerror(-err));
    if (!enough_descriptors(job) || !prepare_apps(job) || !prepare_ranks(job) ||
        !prepare_pmi(job) || !prepare_binding(job) || !open_report(job))
        return false;
    if (PM_loop_add(&job->loop, signal_fd, POLLIN,
                    (PM_watch) { .fn = PM_job_on_signal, .arg = job }) < 0)
        return out_of_memory(job);
    start_all(job);
    return true;
}
