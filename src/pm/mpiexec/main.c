/* mpiexec: starts an MPI job on this machine. See job.h for how it hangs together. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "handover.h"
#include "job.h"
#include "mpichconf.h"
#include "options.h"
#include "signals.h"

/* Whoever started us may have closed standard descriptors: what we open next must not take their
 * numbers. */
static void open_std(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0)
            _exit(1);
    }
}

static int run(PM_options *o)
{
    PM_job job;
    int signal_fd = PM_signals_init();

    if (signal_fd < 0) {
        fprintf(stderr, "mpiexec: cannot make a pipe: %s\n", strerror(-signal_fd));
        return 1;
    }
    PM_env_hide_outer_job();
    PM_job_start(&job, o, signal_fd);
    int code = PM_job_run(&job);
    PM_job_close(&job);
    return code;
}

/* Here, or by another launcher. */
static int start(PM_options *o)
{
    int code = PM_handover(o);

    return code < 0 ? run(o) : code;
}

/* MPIEXEC_TIMEOUT stands for -timeout, as with other launchers. */
static bool timeout_from_env(PM_options *o)
{
    const char *text = getenv("MPIEXEC_TIMEOUT");
    char *end;

    if (!text || !*text || o->timeout > 0)
        return true;
    o->timeout = strtod(text, &end);
    if (*end == '\0' && o->timeout > 0 && o->timeout < 1e9)
        return true;
    fprintf(stderr, "mpiexec: MPIEXEC_TIMEOUT: expected a number of seconds above 0, came \"%s\"\n",
            text);
    return false;
}

int main(int argc, char **argv)
{
    PM_options options;
    char error[600];
    int code = 0;

    open_std();
    switch (PM_options_parse(argc, argv, &options, error, sizeof(error))) {
        case PM_RUN:
            code = timeout_from_env(&options) ? start(&options) : PM_EXIT_USAGE;
            break;
        case PM_HELP:
            PM_options_help(stdout);
            break;
        case PM_VERSION:
            puts("mpiexec (Perennial MPI) " PACKAGE_VERSION);
            break;
        case PM_BAD:
            fprintf(stderr, "mpiexec: %s\n", error);
            code = PM_EXIT_USAGE;
            break;
    }
    PM_options_free(&options);
    return code;
}
