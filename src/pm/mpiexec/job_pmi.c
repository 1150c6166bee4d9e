/* The ranks' PMI sockets: bytes between them and the server. See job.h. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

void PM_job_pmi_close(PM_job *job, int rank)
{
    PM_rank *r = &job->rank[rank];

    if (r->pmi_fd < 0)
        return;
    PM_loop_remove(&job->loop, r->pmi_place);
    close(r->pmi_fd);
    r->pmi_fd = -1;
}

/* What the rank said may have ended the job. */
static void look_at(PM_job *job, int rank)
{
    const char *violation = PM_pmi_violation(job->pmi, rank), *message;
    char name[400];
    int code;

    PM_job_name(job, rank, name, sizeof(name));
    if (PM_pmi_abort(job->pmi, rank, &code, &message))
        PM_job_fail(job, code, "%s called MPI_Abort with code %d%s%s; ending the job", name, code,
                    *message ? ": " : "", message);
    else if (violation)
        PM_job_fail(job, 1, "%s sent to PMI %s; ending the job", name, violation);
    else if (job->n_ended > 0)
        PM_job_check_barriers(job);
    if (violation)
        PM_job_pmi_close(job, rank);
}

static void send_answers(PM_job *job, int rank)
{
    const PM_rank *r = &job->rank[rank];
    size_t size;
    const char *bytes = PM_pmi_output(job->pmi, rank, &size);

    while (size > 0) {
        ssize_t n = send(r->pmi_fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; /* takes no more now; or is gone, which its end will tell */
        PM_pmi_sent(job->pmi, rank, (size_t) n);
        bytes = PM_pmi_output(job->pmi, rank, &size);
    }
    bool stuck = size > 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    PM_loop_want(&job->loop, r->pmi_place, stuck ? POLLIN | POLLOUT : POLLIN);
}

/* Read once; false if there is no more for now. */
static bool read_requests(PM_job *job, int rank)
{
    char bytes[8192];
    ssize_t n = recv(job->rank[rank].pmi_fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (n > 0) {
        PM_pmi_input(job->pmi, rank, bytes, (size_t) n);
        look_at(job, rank);
        return job->rank[rank].pmi_fd >= 0;
    }
    if (n == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
        PM_job_pmi_close(job, rank); /* whether that was right is judged when the process ends */
    return n < 0 && errno == EINTR;
}

static void on_pmi(void *arg, int rank, short revents)
{
    PM_job *job = arg;

    (void) revents;
    read_requests(job, rank);
    if (PM_pmi_violation(job->pmi, rank))
        look_at(job, rank);
    else if (job->rank[rank].pmi_fd >= 0)
        send_answers(job, rank); /* at once: most clients wait for it */
}

bool PM_job_pmi_add(PM_job *job, int rank, int fd)
{
    PM_rank *r = &job->rank[rank];

    r->pmi_place =
        PM_loop_add(&job->loop, fd, POLLIN, (PM_watch) { .fn = on_pmi, .arg = job, .id = rank });
    if (r->pmi_place < 0) {
        close(fd);
        return false;
    }
    r->pmi_fd = fd;
    return true;
}

void PM_job_pmi_pull(PM_job *job, int rank)
{
    while (job->rank[rank].pmi_fd >= 0 && read_requests(job, rank))
        ;
    PM_job_pmi_close(job, rank);
}
