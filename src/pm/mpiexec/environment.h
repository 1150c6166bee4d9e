/* The environment of a rank: what mpiexec has, less what an outer job left in it, changed as the
 * options say. */
#ifndef PM_ENVIRONMENT_H_INCLUDED
#define PM_ENVIRONMENT_H_INCLUDED

#include "options.h"

/* What PMI and the library want to know. */
typedef struct PM_rank_env {
    int rank, size;
    int pmi_fd, nodedir_fd; /* -1: none */
    const char *psets, *errhandler; /* NULL: none */
} PM_rank_env;

typedef struct PM_env PM_env;

/* "NAME=VALUE" as a new string. NULL: out of memory. */
char *PM_env_entry(const PM_setting *set);

/* The part that all ranks of a program share. NULL: out of memory. */
PM_env *PM_env_new(const PM_env_rules *global, const PM_env_rules *local);

/* For execve(); valid until the next call for this PM_env. */
char **PM_env_of_rank(PM_env *env, const PM_rank_env *rank);
void PM_env_free(PM_env *env);

/* Descriptors that belong to a job around this one must not reach our ranks. */
void PM_env_hide_outer_job(void);

#endif /* PM_ENVIRONMENT_H_INCLUDED */
