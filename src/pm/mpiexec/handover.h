/* Handing over: ranks on other machines are started by a launcher that is made for it. What was asked
 * of mpiexec is said again in that launcher's words, and it takes mpiexec's place.
 */
#ifndef PM_HANDOVER_H_INCLUDED
#define PM_HANDOVER_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

typedef struct PM_speech PM_speech; /* how a launcher wants it said */

/* What is decided from; a test plays it. */
typedef struct PM_surroundings {
    bool slurm;     /* inside a Slurm allocation that is not just this machine */
    bool slurm_mpi; /* Slurm knows by itself which PMI to use (SLURM_MPI_TYPE) */
    bool (*there)(const char *program); /* is it in PATH? */
} PM_surroundings;

/* To whom it goes. */
typedef struct PM_choice {
    const PM_speech *speech;
    const char *program; /* that stands for it here */
    bool slurm_mpi;      /* as in PM_surroundings */
} PM_choice;

/* A command, and what goes into its environment. */
typedef struct PM_command {
    char **argv; /* ends with NULL */
    int n;
    char **env; /* "NAME=VALUE" */
    int n_env;
    char *programs; /* text of a file that the command reads from PM_PROGRAMS_FD, or NULL */
} PM_command;

#define PM_PROGRAMS_FD 9

/* Is the name one that -launcher takes? `all` is then the list of those. */
bool PM_launcher_known(const char *name, const char **all);

/* Should this job be handed over? */
bool PM_handover_wanted(const PM_options *o, const PM_surroundings *here);

/* Which launcher it goes to. False: error says that none fits. */
bool PM_handover_choose(const PM_options *o, const PM_surroundings *here, PM_choice *choice,
                        char *error, size_t size);

/* The whole command. False: error says which option cannot be said to this launcher, or what is wrong
 * with the host file. Free in any case. */
bool PM_handover_command(const PM_options *o, const PM_choice *choice, PM_command *command,
                         char *error, size_t size);
void PM_command_free(PM_command *command);

/* As a shell would take it. */
void PM_command_show(const PM_command *command, char *text, size_t size);

/* Hand over if it is wanted: does not return then, except with the exit code after a failure. -1: the
 * ranks are to be started here. */
int PM_handover(const PM_options *o);

#endif /* PM_HANDOVER_H_INCLUDED */
