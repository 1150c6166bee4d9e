/* Writing out what stdio has buffered, by a process that is about to end without exit().
 *
 * fflush() may never return: another thread holds a stream's lock (in fgets(), say), or nobody reads
 * the pipe. And it may be called where a helper thread could not be made, in a signal handler. So a
 * copy of the process does it: it has the buffers and the files, nobody waits for it, and an alarm of
 * its own ends it.
 */
#include "mpl.h"
#include "mpl_os.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 1 };

/* Without what the user has registered to be run at a fork, where there is such a call. */
static pid_t copy_process(void)
{
#ifdef HAVE__FORK
    return _Fork();
#else
    return fork();
#endif
}

/* All signals are blocked; but the alarm must end us, whatever the user has made of it. */
static void __attribute__((noreturn)) write_out(void)
{
    sigset_t just_alarm;

    sigemptyset(&just_alarm);
    sigaddset(&just_alarm, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    alarm(PATIENCE_S);
    sigprocmask(SIG_UNBLOCK, &just_alarm, NULL);
    fflush(stdout); /* first, in case another stream is the one that blocks */
    fflush(NULL);
    _exit(0);
}

void MPL_flush_stdio(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT; /* lives with the process: once is enough */
    sigset_t all, before;

    if (atomic_flag_test_and_set(&begun))
        return;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return;
    signal(SIGCHLD, SIG_DFL); /* ours is no business of the user's handler, in whatever thread */
    pid_t copy = copy_process();
    if (copy == 0)
        write_out();
    while (copy > 0 && waitpid(copy, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
