/* Handing over for real: what is there, and the exec. See handover.h. */
#include "handover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "spawn.h"

#define PM_EXIT_NO_LAUNCHER 127

/* ---- what is there --------------------------------------------------------------------------- */

/* Not what lies in this directory: execvp() would not find that. */
static bool in_path(const char *program)
{
    char path[1024];

    return PM_find_program(program, NULL, path, sizeof(path)) == 0 && path[0] == '/';
}

/* On the only node of its allocation mpiexec starts the ranks itself, which is quicker. */
static bool in_slurm(void)
{
    const char *nodes = getenv("SLURM_JOB_NUM_NODES");

    if (!getenv("SLURM_JOB_ID"))
        return false;
    return !getenv("SLURMD_NODENAME") || !nodes || strcmp(nodes, "1") != 0;
}

/* ---- the exec -------------------------------------------------------------------------------- */

/* The file for several programs has no name: it is a descriptor that the launcher inherits. */
static bool put_programs(const char *text)
{
    FILE *file = tmpfile();
    size_t len = strlen(text);

    if (!file || fwrite(text, 1, len, file) != len || fflush(file) != 0)
        return false;
    return lseek(fileno(file), 0, SEEK_SET) == 0 && dup2(fileno(file), PM_PROGRAMS_FD) >= 0;
}

static int replace_self(const PM_command *c)
{
    for (int i = 0; i < c->n_env; i++)
        putenv(c->env[i]); /* stays ours until exec */
    if (c->programs && !put_programs(c->programs)) {
        fprintf(stderr, "mpiexec: cannot make a temporary file: %s\n", strerror(errno));
        return 1;
    }
    execvp(c->argv[0], c->argv);
    fprintf(stderr, "mpiexec: cannot execute %s: %s\n", c->argv[0], strerror(errno));
    return PM_EXIT_NO_LAUNCHER;
}

static void show(const PM_command *c)
{
    static char text[65536];

    PM_command_show(c, text, sizeof(text));
    fprintf(stderr, "mpiexec: handing over: %s\n", text);
}

int PM_handover(const PM_options *o)
{
    const PM_surroundings here = { .slurm = in_slurm(),
                                   .slurm_mpi = getenv("SLURM_MPI_TYPE") != NULL,
                                   .there = in_path };
    char error[600];
    PM_choice choice;
    PM_command command;

    if (!PM_handover_wanted(o, &here))
        return -1;
    if (!PM_handover_choose(o, &here, &choice, error, sizeof(error))) {
        fprintf(stderr, "mpiexec: %s\n", error);
        return PM_EXIT_NO_LAUNCHER;
    }
    int code = PM_EXIT_USAGE;
    if (PM_handover_command(o, &choice, &command, error, sizeof(error))) {
        if (o->verbose)
            show(&command);
        code = replace_self(&command);
    } else {
        fprintf(stderr, "mpiexec: %s\n", error);
    }
    PM_command_free(&command);
    return code;
}
