/* Signals that mpiexec receives. See job.h. */
#include "job.h"

#include <signal.h>
#include <unistd.h>

#include "signals.h"

static void forward(PM_job *job, int signo)
{
    for (int i = 0; i < job->n; i++)
        PM_job_signal_rank(&job->rank[i], signo);
}

/* The first is for the ranks to react to; whoever sends a second one means it. */
static void interrupt(PM_job *job, int signo)
{
    job->interrupts++;
    job->last_signal = signo;
    if (job->interrupts == 1) {
        forward(job, signo);
        return;
    }
    PM_job_fail(job, 128 + signo, "%s once more; killing all ranks", PM_signal_name(signo));
    PM_job_kill(job, true);
}

/* Stop with the ranks, as the shell expects of a job. */
static void stop(PM_job *job)
{
    forward(job, SIGTSTP);
    kill(getpid(), SIGSTOP);
}

static void handle(PM_job *job, int signo)
{
    switch (signo) {
        case SIGCHLD:
            PM_job_reap(job);
            break;
        case SIGHUP:
        case SIGINT:
        case SIGQUIT:
        case SIGTERM:
            interrupt(job, signo);
            break;
        case SIGTSTP:
            stop(job);
            break;
        default:
            forward(job, signo);
            break;
    }
}

void PM_job_on_signal(void *arg, int id, short revents)
{
    PM_job *job = arg;
    unsigned char bytes[64];
    bool child = false;

    (void) id;
    (void) revents;
    ssize_t n = read(job->signal_fd, bytes, sizeof(bytes));
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == SIGCHLD)
            child = true; /* many at once are reaped together */
        else
            handle(job, bytes[i]);
    }
    if (child)
        handle(job, SIGCHLD);
}
