/* The end of ranks and of the job. See job.h. */
#include "job.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpl.h"
#include "verdict.h"

#define POLITE 500000000u /* ns between SIGTERM and SIGKILL */
#define POLITE_AFTER_SIGNAL 3000000000u /* where the user's own signal reached the ranks first */
/* ns that what a rank leaves behind may take to finish (a pipe's last writer) */
#define LINGER 200000000u
#define LINGER_LOOK 5000000u

/* ---- killing --------------------------------------------------------------------------------- */

void PM_job_signal_rank(const PM_rank *rank, int signo)
{
    if (rank->state == PM_RANK_RUNNING) {
        kill(-rank->pid, signo);
        /* one that has left its group; who is in it, the signal reaches only once, unless it is
         * deadly anyway */
        if (signo == SIGKILL || getpgid(rank->pid) != rank->pid)
            kill(rank->pid, signo);
    } else if (rank->lingers && signo == SIGKILL) {
        kill(-rank->pid, signo);
    }
}

static void signal_all(PM_job *job, int signo)
{
    for (int i = 0; i < job->n; i++)
        PM_job_signal_rank(&job->rank[i], signo);
}

static void kill_hard(void *arg)
{
    signal_all(arg, SIGKILL);
}

void PM_job_kill(PM_job *job, bool at_once)
{
    if (!job->killing) {
        uint64_t grace = job->interrupts ? POLITE_AFTER_SIGNAL : POLITE;
        if (!job->interrupts)
            signal_all(job, SIGTERM);
        signal_all(job, SIGCONT); /* who is stopped must run to end */
        PM_loop_timer(&job->loop, PM_TIMER_KILL, MPL_now_ns() + grace, kill_hard, job);
        PM_loop_timer(&job->loop, PM_TIMER_TIMEOUT, 0, NULL, NULL);
    }
    job->killing = true;
    if (at_once)
        kill_hard(job);
}

/* The first failure gives the exit code. */
static void end_job(PM_job *job, int exit_code)
{
    if (!job->failed && !job->killing && job->exit_code == 0)
        job->exit_code = exit_code;
    job->failed = true;
    job->reporting = false;
    PM_trace_cancel(&job->trace);
    PM_job_kill(job, false);
}

void PM_job_fail(PM_job *job, int exit_code, const char *format, ...)
{
    if (!job->failed && !job->killing) {
        char text[1500];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        PM_output_say(&job->out, "%s", text);
    }
    end_job(job, exit_code);
}

/* ---- the end of a rank ----------------------------------------------------------------------- */

MPIR_Nodedir_state PM_job_dir_state(const PM_job *job, int rank)
{
    return job->dir.dir ? (MPIR_Nodedir_state) atomic_load(&job->dir.dir->entry[rank].state)
                        : MPIR_PROC_ABSENT;
}

void PM_job_check_barriers(PM_job *job)
{
    char name[400], where[160];

    for (int i = 0; i < job->n && !job->failed && !job->killing; i++) {
        if (job->rank[i].state == PM_RANK_ENDED &&
            PM_pmi_awaited(job->pmi, i, where, sizeof(where)))
            PM_job_fail(job, 1, "%s has exited and is waited for in %s; ending the job",
                        PM_job_name(job, i, name, sizeof(name)), where);
    }
}

/* It ended by the signal that we passed on: that needs no explanation. */
static bool was_told_to(const PM_job *job, PM_ending ending, int status)
{
    return job->interrupts && ending == PM_END_SIGNAL && WTERMSIG(status) == job->last_signal;
}

static void judge(PM_job *job, int rank)
{
    const PM_rank *r = &job->rank[rank];
    PM_pmi_state pmi = PM_pmi_state_of(job->pmi, rank);
    PM_ending ending = PM_judge(r->status, pmi, PM_job_dir_state(job, rank));
    char name[400], text[200];

    if (job->killing)
        return; /* our doing */
    PM_job_name(job, rank, name, sizeof(name));
    PM_ending_text(ending, r->status, pmi, text, sizeof(text));
    int code = PM_code_of(ending, r->status);
    if (was_told_to(job, ending, r->status)) {
        PM_job_fail(job, code, "%s was ended by the signal passed on to it (%s)", name,
                    strsignal(job->last_signal));
    } else if (PM_ends_job(ending)) {
        if (job->n_running > 0) {
            PM_output_say(&job->out, "%s %s; ending the job", name, text);
            PM_job_describe(job, rank);
        } else {
            PM_output_say(&job->out, "%s %s", name, text);
        }
        end_job(job, code);
    } else if (ending == PM_END_CODE) {
        if (job->exit_code == 0) /* one line, not one a rank */
            PM_output_say(&job->out, "%s %s", name, text);
        job->exit_code = job->exit_code ? job->exit_code : code;
    }
    if (!job->killing)
        PM_job_check_barriers(job);
}

/* What the rank started and left behind in its process group may finish, but not stay. */
static bool group_is_empty(pid_t group)
{
    return kill(-group, 0) != 0 && errno == ESRCH;
}

static void check_end(PM_job *job);

static void look_after_lingering(void *arg)
{
    PM_job *job = arg;
    uint64_t now = MPL_now_ns();

    for (int i = 0; i < job->n; i++) {
        PM_rank *r = &job->rank[i];
        if (!r->lingers)
            continue;
        bool over = now >= r->linger_until || job->killing;
        if (!over && !group_is_empty(r->pid))
            continue;
        if (over)
            kill(-r->pid, SIGKILL);
        r->lingers = false;
        job->n_lingering--;
        PM_guard_drop(&job->guard, r->pid);
    }
    if (job->n_lingering)
        PM_loop_timer(&job->loop, PM_TIMER_LINGER, now + LINGER_LOOK, look_after_lingering, job);
    check_end(job);
}

static void on_rank_end(PM_job *job, int rank, int status)
{
    PM_rank *r = &job->rank[rank];

    PM_job_pull_report(job);
    PM_output_pull(&job->out, rank);
    PM_job_pmi_pull(job, rank);
    r->state = PM_RANK_ENDED;
    r->status = status;
    job->n_running--;
    job->n_ended++;
    PM_feed_drop(&job->feed, rank);
    judge(job, rank);
    if (group_is_empty(r->pid)) {
        PM_guard_drop(&job->guard, r->pid);
        return;
    }
    r->lingers = true;
    r->linger_until = MPL_now_ns() + LINGER;
    job->n_lingering++;
    PM_loop_timer(&job->loop, PM_TIMER_LINGER, MPL_now_ns() + LINGER_LOOK, look_after_lingering,
                  job);
}

static int rank_of_pid(const PM_job *job, pid_t pid)
{
    for (int i = 0; i < job->n; i++) {
        if (job->rank[i].pid == pid && job->rank[i].state == PM_RANK_RUNNING)
            return i;
    }
    return -1;
}

void PM_job_reap(PM_job *job)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        int rank = rank_of_pid(job, pid);
        if (rank >= 0)
            on_rank_end(job, rank, status);
        if (pid == job->guard.pid)
            /* somebody killed it; the ranks still have their parent-death signal */
            job->guard.pid = 0;
        if (pid == job->trace.helper)
            job->trace.helper = 0; /* its pipe tells the trace module the rest */
    }
    check_end(job);
}

/* ---- the end of the job ---------------------------------------------------------------------- */

static void on_written(void *arg)
{
    PM_job *job = arg;

    job->loop.stop = true;
}

static void show_exit_info(PM_job *job)
{
    char name[400], text[200];

    for (int i = 0; i < job->n; i++) {
        const PM_rank *r = &job->rank[i];
        PM_pmi_state pmi = PM_pmi_state_of(job->pmi, i);
        if (r->state == PM_RANK_ENDED)
            PM_output_say(&job->out, "%s %s", PM_job_name(job, i, name, sizeof(name)),
                          PM_ending_text(PM_judge(r->status, pmi, PM_job_dir_state(job, i)),
                                         r->status, pmi, text, sizeof(text)));
        else
            PM_output_say(&job->out, "rank %d was not started", i);
    }
}

static void check_end(PM_job *job)
{
    if (job->n_running || job->n_lingering || job->reporting || job->out.closing || job->loop.stop)
        return;
    if ((job->o->exit_info || job->o->verbose) && job->pmi)
        show_exit_info(job);
    PM_output_end(&job->out, on_written, job);
}

int PM_job_run(PM_job *job)
{
    check_end(job); /* it may be that none could be started */
    PM_loop_run(&job->loop);
    return PM_code_of_abort(job->exit_code);
}

void PM_job_close(PM_job *job)
{
    for (int i = 0; i < job->n && job->rank; i++)
        PM_job_pmi_close(job, i);
    PM_output_close(&job->out);
    PM_feed_close(&job->feed);
    PM_guard_stop(&job->guard);
    PM_pmi_free(job->pmi);
    PM_bind_free(&job->bind);
    for (int i = 0; i < job->o->n_apps && job->env; i++)
        PM_env_free(job->env[i]);
    if (job->dir.dir)
        munmap(job->dir.dir, MPIR_Nodedir_size(job->n));
    if (job->report_fd[0] >= 0)
        close(job->report_fd[0]);
    free(job->env);
    free(job->path);
    free(job->rank);
    free(job->appnum);
    PM_loop_free(&job->loop);
}
