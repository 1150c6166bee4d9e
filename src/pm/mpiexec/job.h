/* One job: its ranks from start to end. The struct is shared by the job_*.c files, one subject
 * each:
 *
 *   job_start.c   everything up to the running ranks
 *   job_pmi.c     the ranks' PMI sockets
 *   job_end.c     who ends, what follows from it, killing, the exit code
 *   job_signal.c  signals that mpiexec receives
 *   job_report.c  what the ranks are doing: after a failure, and when -timeout is over
 */
#ifndef PM_JOB_H_INCLUDED
#define PM_JOB_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bind.h"
#include "environment.h"
#include "feed.h"
#include "guard.h"
#include "loop.h"
#include "mpir_nodedir.h"
#include "options.h"
#include "output.h"
#include "pmi_server.h"
#include "trace.h"

/* Numbers of the loop's timers; 0 to 2 are taken by output, feed and trace. */
#define PM_TIMER_KILL 3
#define PM_TIMER_LINGER 4
#define PM_TIMER_TIMEOUT 5

#define PM_EXIT_TIMEOUT 124
#define PM_EXIT_USAGE 2

typedef enum PM_rank_state { PM_RANK_NEW, PM_RANK_RUNNING, PM_RANK_ENDED } PM_rank_state;

typedef struct PM_rank {
    PM_rank_state state;
    pid_t pid;
    int app; /* which program */
    int status; /* of waitpid(), when it has ended */
    bool lingers; /* has ended, but its process group is not empty yet */
    uint64_t linger_until;
    int pmi_fd, pmi_place; /* fd -1: closed */
} PM_rank;

typedef struct PM_job {
    const PM_options *o;
    PM_loop loop;
    PM_output out;
    PM_feed feed;
    PM_guard guard;
    PM_trace trace;
    PM_bind bind;
    PM_pmi *pmi;
    MPIR_Nodedir_ref dir; /* dir.dir NULL: there is none */
    int n, n_running, n_lingering, n_ended;
    PM_rank *rank;
    int *appnum; /* by rank */
    char (*path)[1024]; /* by program: what is executed */
    PM_env **env; /* by program */
    int report_fd[2], report_place; /* where children say why they could not exec; -1: closed */
    char host[256];
    int exit_code;
    bool failed; /* the failure that ends the job was reported */
    bool killing; /* ranks that end now do so because we want it */
    int interrupts; /* signals so far that are meant to end the job */
    int last_signal; /* the last of those */
    int traced; /* -timeout: the rank whose backtrace is being shown */
    uint64_t trace_until;
    bool reporting; /* -timeout: the report is being made */
    int signal_fd;
} PM_job;

/* Start the job; on failure everything is said and job->exit_code is set. `signal_fd` is from
 * PM_signals_init(). */
bool PM_job_start(PM_job *job, const PM_options *o, int signal_fd);

/* Run it to its end; returns the exit code. */
int PM_job_run(PM_job *job);

/* Give everything back. */
void PM_job_close(PM_job *job);

/* ---- among the job_*.c files ----------------------------------------------------------------- */

/* Wire a rank's PMI socket into the loop. */
bool PM_job_pmi_add(PM_job *job, int rank, int fd);

/* Take what the rank has said to PMI, before its end is judged. */
void PM_job_pmi_pull(PM_job *job, int rank);
void PM_job_pmi_close(PM_job *job, int rank);

/* A rank that has ended may have said why it could not exec. */
void PM_job_pull_report(PM_job *job);

/* Children that have ended. */
void PM_job_reap(PM_job *job);

/* Something that ends the job has happened: the first time, say so and take over the exit code; in
 * any case end all. */
void PM_job_fail(PM_job *job, int exit_code, const char *format, ...) MPL_PRINTF(3, 4);

/* End all ranks: politely first, or at once. */
void PM_job_kill(PM_job *job, bool at_once);

/* Send a signal to a running rank and what it has started. */
void PM_job_signal_rank(const PM_rank *rank, int signo);

/* Does someone wait for ever in a barrier for a rank that has ended? Then the job has failed. */
void PM_job_check_barriers(PM_job *job);

/* The state of a rank's entry in the node directory. */
MPIR_Nodedir_state PM_job_dir_state(const PM_job *job, int rank);

/* Say what the ranks other than `except` (-1: all) are doing. */
void PM_job_describe(PM_job *job, int except);

/* "rank 3 (pid 123 on host)" */
const char *PM_job_name(const PM_job *job, int rank, char *text, size_t size);

/* The loop's functions for signals, and for the end of -timeout. */
void PM_job_on_signal(void *arg, int id, short revents);
void PM_job_on_timeout(void *arg);

#endif /* PM_JOB_H_INCLUDED */
