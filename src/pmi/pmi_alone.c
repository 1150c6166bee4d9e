/* A process without a launcher: a job of one. Keys are kept in a list, so that put and get work as
 * under a launcher. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"
#include "pmi_backend.h"

typedef struct Entry {
    struct Entry *next;
    char *value;
    char key[];
} Entry;

/* Lives with the process. */
static struct {
    Entry *first;
} alone;

static int alone_connect(MPIR_Pmi_job *job)
{
    snprintf(job->name, sizeof(job->name), "singleton-%ld-%016llx", (long) getpid(),
             (unsigned long long) MPL_random());
    return MPI_SUCCESS;
}

static int alone_put(const char *key, const char *value)
{
    Entry *e = malloc(sizeof(*e) + strlen(key) + 1);
    char *copy = strdup(value);

    if (!e || !copy) {
        free(e);
        free(copy);
        return MPIR_Err("**pmi_nomem", key);
    }
    strcpy(e->key, key);
    e->value = copy;
    e->next = alone.first;
    alone.first = e;
    return MPI_SUCCESS;
}

static int alone_fence_begin(void)
{
    return MPI_SUCCESS;
}

static int alone_fence_end(bool wait, bool *done)
{
    (void) wait;
    *done = true;
    return MPI_SUCCESS;
}

static int alone_get(int rank, const char *key, char *value, size_t size, bool *found)
{
    (void) rank;
    *found = false;
    for (const Entry *e = alone.first; e; e = e->next) {
        if (strcmp(e->key, key) != 0)
            continue;
        if (strlen(e->value) >= size)
            return MPIR_Err("**pmi_value", key, (int) strlen(e->value), (int) size - 1);
        strcpy(value, e->value);
        *found = true;
        break;
    }
    return MPI_SUCCESS;
}

static int alone_attr(const char *name, char *value, size_t size, bool *found)
{
    (void) name, (void) value, (void) size;
    *found = false;
    return MPI_SUCCESS;
}

static void alone_abort(int exit_code, const char *message)
{
    (void) exit_code;
    (void) message; /* nobody to tell */
}

static void alone_finalize(void)
{
    while (alone.first) {
        Entry *e = alone.first;
        alone.first = e->next;
        free(e->value);
        free(e);
    }
}

const MPIR_Pmi_backend MPIR_Pmi_alone = {
    .name = "alone",
    .connect = alone_connect,
    .put = alone_put,
    .fence_begin = alone_fence_begin,
    .fence_end = alone_fence_end,
    .get = alone_get,
    .attr = alone_attr,
    .abort = alone_abort,
    .finalize = alone_finalize,
};
