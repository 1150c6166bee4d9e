/* Signals. See signals.h. */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "mpl.h"

static const int caught[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                              SIGUSR2, SIGTSTP, SIGCONT, SIGCHLD };
/* SIGTTIN: a read of the terminal in the background then fails instead of stopping us */
static const int ignored[] = { SIGPIPE, SIGTTIN };

/* Lives with the process. */
static struct {
    int write_fd;
    struct sigaction old_caught[MPL_ARRAY_SIZE(caught)];
    struct sigaction old_ignored[MPL_ARRAY_SIZE(ignored)];
    sigset_t old_mask;
} signals = { .write_fd = -1 };

static void on_signal(int signo)
{
    int saved = errno;
    unsigned char byte = (unsigned char) signo;

    while (write(signals.write_fd, &byte, 1) < 0 && errno == EINTR)
        ; /* full: then so many signals wait already that this one adds nothing */
    errno = saved;
}

static int make_pipe(void)
{
    int fd[2];

    if (pipe(fd) != 0)
        return -errno;
    for (int i = 0; i < 2; i++) {
        fcntl(fd[i], F_SETFD, FD_CLOEXEC);
        fcntl(fd[i], F_SETFL, O_NONBLOCK);
    }
    signals.write_fd = fd[1];
    return fd[0];
}

int PM_signals_init(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t wanted;
    int fd = make_pipe();

    if (fd < 0)
        return fd;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    sigemptyset(&wanted);
    for (size_t i = 0; i < MPL_ARRAY_SIZE(caught); i++) {
        sigaction(caught[i], NULL, &signals.old_caught[i]);
        sigaddset(&wanted, caught[i]);
        if (signals.old_caught[i].sa_handler != SIG_IGN || caught[i] == SIGCHLD)
            sigaction(caught[i], &action, NULL);
    }
    for (size_t i = 0; i < MPL_ARRAY_SIZE(ignored); i++)
        sigaction(ignored[i], &ignore, &signals.old_ignored[i]);
    sigprocmask(SIG_UNBLOCK, &wanted, &signals.old_mask);
    return fd;
}

sigset_t PM_signals_hold(void)
{
    sigset_t all, mask;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    return mask;
}

void PM_signals_release(const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
}

void PM_signals_restore(void)
{
    for (size_t i = 0; i < MPL_ARRAY_SIZE(caught); i++)
        sigaction(caught[i], &signals.old_caught[i], NULL);
    for (size_t i = 0; i < MPL_ARRAY_SIZE(ignored); i++)
        sigaction(ignored[i], &signals.old_ignored[i], NULL);
    sigprocmask(SIG_SETMASK, &signals.old_mask, NULL);
}

const char *PM_signal_name(int signo)
{
    static const struct {
        int signo;
        const char *name;
    } names[] = {
        { SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
        { SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
        { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
        { SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
        { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
        { SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
    };
    static char other[24];

    for (size_t i = 0; i < MPL_ARRAY_SIZE(names); i++) {
        if (names[i].signo == signo)
            return names[i].name;
    }
    snprintf(other, sizeof(other), "signal %d", signo);
    return other;
}
