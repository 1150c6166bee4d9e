/* The command line of mpiexec, parsed into a struct. Starts nothing and looks at nothing else. */
#ifndef PM_OPTIONS_H_INCLUDED
#define PM_OPTIONS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PM_STDIN_NONE (-2)
#define PM_STDIN_ALL (-1) /* else a rank */

typedef struct PM_setting {
    const char *name, *value;
} PM_setting;

/* What is done to the environment that mpiexec has. Points into argv. */
typedef struct PM_env_rules {
    bool none; /* start from nothing */
    const char *list; /* keep only these, "A,B"; NULL: all */
    int n_set;
    PM_setting *set;
} PM_env_rules;

/* One program of the job, with its ranks. */
typedef struct PM_app {
    int n;
    bool n_given;
    const char *wdir; /* NULL: where mpiexec is */
    PM_env_rules env;
    char **argv; /* ends with NULL */
} PM_app;

typedef struct PM_options {
    int n_apps, n_ranks;
    PM_app *app;
    PM_env_rules env; /* of all */
    bool label, verbose, exit_info;
    int stdin_to;
    double timeout; /* seconds; 0: none */
    const char *bind_to, *map_by, *errhandler; /* NULL: not given */
    const char *hosts, *hostfile, *launcher; /* NULL: not given; see handover.h */
    int ppn; /* 0: not given */
    char *psets; /* "NAME=RANKS;NAME=RANKS", NULL: none */
    char **config; /* what -configfile brought in, kept since others point into it */
} PM_options;

typedef enum PM_action { PM_RUN, PM_HELP, PM_VERSION, PM_BAD } PM_action;

/* Parse. PM_BAD: `error` says what was wrong, what was expected and what came. Free in any case. */
PM_action PM_options_parse(int argc, char **argv, PM_options *options, char *error, size_t size);
void PM_options_free(PM_options *options);

void PM_options_help(FILE *to);

/* The words of a configuration file as an argument list (NULL at the end): each line is one program
 * with its options, '#' starts a comment, double quotes keep blanks. NULL: see error. Free with
 * PM_config_free(). */
char **PM_config_read(const char *path, int *argc, char *error, size_t size);
void PM_config_free(char **argv);

#endif /* PM_OPTIONS_H_INCLUDED */
