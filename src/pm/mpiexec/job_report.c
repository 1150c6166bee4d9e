/* What the ranks are doing. See job.h. */
#include "job.h"

#include <stdio.h>
#include <string.h>

#include "../../pmi/wire/pmi_wire.h"
#include "mpl.h"
#include "verdict.h"

#define LINES_MAX 16 /* of the others after a failure */
#define TRACE_ONE 10000000000u /* ns for one backtrace */
#define TRACE_ALL 30000000000u /* ns for all */

const char *PM_job_name(const PM_job *job, int rank, char *text, size_t size)
{
    snprintf(text, size, "rank %d (pid %ld on %s)", rank, (long) job->rank[rank].pid, job->host);
    return text;
}

/* What the rank itself says that it waits for; other processes write it, so it is copied before it
 * is looked at. */
static bool waits_for(const PM_job *job, int rank, char *text, size_t size)
{
    const MPIR_Nodedir_entry *e = job->dir.dir ? &job->dir.dir->entry[rank] : NULL;
    char copy[sizeof(e->text) + 1];

    if (!e || !atomic_load(&((MPIR_Nodedir_entry *) e)->waiting))
        return false;
    memcpy(copy, e->text, sizeof(e->text));
    copy[sizeof(e->text)] = '\0';
    MPIR_Pmi_quote(copy, text, size);
    return true;
}

static const char *doing(const PM_job *job, int rank, char *text, size_t size)
{
    MPIR_Nodedir_state dir = PM_job_dir_state(job, rank);
    PM_pmi_state pmi = PM_pmi_state_of(job->pmi, rank);
    char what[160];

    if (job->rank[rank].state == PM_RANK_NEW)
        snprintf(text, size, "not started yet");
    else if (job->rank[rank].state == PM_RANK_ENDED)
        snprintf(text, size, "has ended");
    else if (waits_for(job, rank, what, sizeof(what)))
        snprintf(text, size, "waits in %s", what);
    else if (pmi == PM_PMI_NEW)
        snprintf(text, size, "runs, has not used MPI yet");
    else if (pmi == PM_PMI_FINALIZED || dir == MPIR_PROC_GONE)
        snprintf(text, size, "runs, has finalized MPI");
    else if (dir == MPIR_PROC_DORMANT)
        snprintf(text, size, "runs, between two uses of MPI");
    else
        snprintf(text, size, "runs, in MPI");
    return text;
}

/* Append "3" or "3-5" to a list; what does not fit is left out. */
static void list_ranks(char *list, size_t size, int first, int last)
{
    size_t used = strlen(list);

    if (size - used > 40)
        snprintf(list + used, size - used, first == last ? "%s%d" : "%s%d-%d", used ? "," : "",
                 first, last);
    else if (used && list[used - 1] != '.')
        strcpy(list + used, ",...");
}

/* All ranks from `first` on that do the same. */
static void list_same(const PM_job *job, int first, int except, const char *what, char *list,
                      size_t size)
{
    char text[200];

    list[0] = '\0';
    for (int i = first; i < job->n; i++) {
        int from = i;
        while (i < job->n && i != except && strcmp(doing(job, i, text, sizeof(text)), what) == 0)
            i++;
        if (i > from)
            list_ranks(list, size, from, i - 1);
    }
}

/* Has a rank before this one the same to say? */
static bool said_before(const PM_job *job, int rank, int except, const char *what)
{
    char text[200];

    for (int i = 0; i < rank; i++) {
        if (i != except && strcmp(doing(job, i, text, sizeof(text)), what) == 0)
            return true;
    }
    return false;
}

void PM_job_describe(PM_job *job, int except)
{
    int lines = 0, last = MPL_MIN(job->n, 512); /* the comparison is quadratic */

    for (int i = 0; i < last; i++) {
        char what[200], list[160];
        if (i == except || said_before(job, i, except, doing(job, i, what, sizeof(what))))
            continue;
        if (lines++ == LINES_MAX) {
            PM_output_say(&job->out, "  ...");
            break;
        }
        list_same(job, i, except, what, list, sizeof(list));
        PM_output_say(&job->out, "  rank %s %s", list, what);
    }
}

/* ---- -timeout -------------------------------------------------------------------------------- */

static void trace_next(void *arg);

static void show_frame(void *arg, const char *line)
{
    PM_job *job = arg;
    char clean[400];

    PM_output_say(&job->out, "  rank %d: %s", job->traced,
                  MPIR_Pmi_quote(line, clean, sizeof(clean)));
}

static void end_report(PM_job *job)
{
    job->reporting = false;
    PM_job_fail(job, PM_EXIT_TIMEOUT, "ending the job after -timeout %g", job->o->timeout);
    if (job->n_running == 0)
        PM_job_reap(job); /* all have ended while we looked */
}

/* Show the next rank: what it does, then where it is. */
static void trace_next(void *arg)
{
    PM_job *job = arg;
    char name[400], text[200];

    while (++job->traced < job->n) {
        uint64_t now = MPL_now_ns();
        int rank = job->traced;
        PM_output_say(&job->out, "%s: %s", PM_job_name(job, rank, name, sizeof(name)),
                      doing(job, rank, text, sizeof(text)));
        if (job->rank[rank].state != PM_RANK_RUNNING || now >= job->trace_until)
            continue;
        if (PM_trace_start(&job->trace, job->rank[rank].pid,
                           MPL_MIN(now + TRACE_ONE, job->trace_until)))
            return;
    }
    end_report(job);
}

void PM_job_on_timeout(void *arg)
{
    PM_job *job = arg;

    job->reporting = true;
    job->traced = -1;
    job->trace_until = MPL_now_ns() + TRACE_ALL;
    job->trace.show = show_frame;
    job->trace.done = trace_next;
    job->trace.arg = job;
    PM_output_say(&job->out, "the time that -timeout gives (%g s) is over; what the ranks do:",
                  job->o->timeout);
    trace_next(job);
}
