/* Start one process: descriptors, directory, environment, binding, exec. Knows nothing of jobs. */
#ifndef PM_SPAWN_H_INCLUDED
#define PM_SPAWN_H_INCLUDED

#include <stddef.h>
#include <sys/types.h>

#include "bind.h"
#include "guard.h"

/* Where to find a program as execvp() would, or in the directory where it will run; `path` gets the
 * name for exec. 0 or an errno. */
int PM_find_program(const char *name, const char *wdir, char *path, size_t size);

typedef struct PM_child {
    int rank;
    const char *path;
    char **argv, **env;
    const char *wdir; /* NULL: stay */
    int std[3]; /* become standard input, output and error; -1: /dev/null */
    int keep[2]; /* handed down under their own numbers; -1: none */
    int report_fd; /* close-on-exec pipe on which the child says why it could not exec */
    const PM_cpus *cpus; /* NULL: not bound */
    const PM_guard *guard; /* that is told of the process group */
} PM_child;

typedef enum PM_step { PM_STEP_WDIR, PM_STEP_BIND, PM_STEP_EXEC } PM_step;

/* What comes through report_fd. */
typedef struct PM_exec_failure {
    int rank;
    PM_step step;
    int err;
} PM_exec_failure;

/* The child leads a process group of its own. Returns its pid or -errno. */
pid_t PM_spawn(const PM_child *child);

/* Make sure that `more` descriptors can be opened, by raising the soft limit if need be; children
 * get the old limit back. 0, or the limit that stands in the way. */
long PM_fd_limit_raise(long more);

#endif /* PM_SPAWN_H_INCLUDED */
