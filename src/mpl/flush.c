/* Writing out what stdio has buffered, by a process that is about to end without exit().
 *
 * fflush() may never return: another thread holds a stream's lock (in fgets(), say), or nobody reads
 * the pipe. And it may be called where a helper thread could not be made, in a signal handler. So a
 * timer gets us out of it. The process ends anyhow, so its timer and its handler of SIGALRM are free.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "mpl.h"

/* Lives with the process, in its last second. */
static struct {
    sigjmp_buf out;
    pthread_t thread;
    volatile sig_atomic_t armed;
} flush;

static void on_alarm(int sig)
{
    if (!flush.armed)
        return;
    if (!pthread_equal(flush.thread, pthread_self()))
        pthread_kill(flush.thread, sig);
    else
        siglongjmp(flush.out, 1);
}

/* Again and again: the first may come in the moment before we are blocked. */
static void arm(bool on)
{
    const struct timeval first = { .tv_sec = on }, then = { .tv_usec = on ? 100000 : 0 };
    flush.armed = on;
    setitimer(ITIMER_REAL, &(struct itimerval) { .it_value = first, .it_interval = then }, NULL);
}

void MPL_flush_stdio(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT; /* lives with the process: once is enough */
    struct sigaction alarm = { .sa_handler = on_alarm };
    sigset_t just_alarm;

    if (atomic_flag_test_and_set(&begun))
        return;
    flush.thread = pthread_self();
    sigemptyset(&alarm.sa_mask);
    sigemptyset(&just_alarm);
    sigaddset(&just_alarm, SIGALRM);
    if (sigaction(SIGALRM, &alarm, NULL) != 0 || pthread_sigmask(SIG_UNBLOCK, &just_alarm, NULL) != 0)
        return;
    if (sigsetjmp(flush.out, 1) == 0) {
        arm(true);
        fflush(stdout); /* first, in case another stream is the one that blocks */
        fflush(NULL);
    }
    arm(false);
}
