/* A key of another process, fetched from that process's server when it is needed. The server keeps a
 * question back until the key is there, or says "not found" after a while: then it is asked again.
 * See pmix_impl.h. */
#include "mpichconf.h"

#ifdef HAVE_PMIX
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../pmi_backend.h"
#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"
#include "pmix_impl.h"

#define ASK_AGAIN_NS                                                                               \
    10000000u /* a server that says "not found" at once is not asked all the time */

typedef enum Stage { ASKED, ANSWERED, REFUSED } Stage;

/* A question that is out. It is never freed before PMIx_Finalize(): the answer is brought by
 * libpmix's thread. */
typedef struct Question {
    struct Question *next;
    int rank;
    _Atomic uint32_t stage; /* ASKED: the rest belongs to libpmix's thread */
    pmix_status_t status;
    uint64_t answered_ns;
    char *value;
    char key[];
} Question;

/* Lives with the process: a question for each peer that was ever looked up. */
static struct {
    Question *first;
} gets;

/* ---- not waiting ----------------------------------------------------------------------------- */

/* In libpmix's thread. */
static void answer(pmix_status_t status, pmix_value_t *value, void *arg)
{
    Question *q = arg;

    q->status = status;
    if (status == PMIX_SUCCESS && value && value->type == PMIX_STRING && value->data.string)
        q->value = strdup(value->data.string);
    q->answered_ns = MPL_now_ns();
    /* pairs with MPIR_Pmix_try()'s load: the value before the stage */
    atomic_store_explicit(&q->stage, q->value ? ANSWERED : REFUSED, memory_order_release);
    MPL_wake(&q->stage, 1);
}

static bool is_not_yet(pmix_status_t status)
{
    return status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT;
}

static int ask(Question *q)
{
    pmix_proc_t of = MPIR_Pmix_me;

    of.rank = (pmix_rank_t) q->rank;
    atomic_store_explicit(&q->stage, ASKED, memory_order_relaxed);
    pmix_status_t status = MPIR_Pmix.get_nb(&of, q->key, NULL, 0, answer, q);
    if (status == PMIX_SUCCESS)
        return MPI_SUCCESS;
    /* no answer will come */
    q->status = status;
    q->answered_ns = MPL_now_ns();
    atomic_store_explicit(&q->stage, REFUSED, memory_order_relaxed);
    return is_not_yet(status) ? MPI_SUCCESS : MPIR_Pmix_error("PMIx_Get_nb", status);
}

static Question *find(int rank, const char *key)
{
    for (Question *q = gets.first; q; q = q->next) {
        if (q->rank == rank && strcmp(q->key, key) == 0)
            return q;
    }
    Question *q = calloc(1, sizeof(*q) + strlen(key) + 1);
    if (!q)
        return NULL;
    q->rank = rank;
    strcpy(q->key, key);
    q->stage = REFUSED;
    q->status = PMIX_ERR_NOT_FOUND;
    q->next = gets.first;
    gets.first = q;
    return q;
}

int MPIR_Pmix_try(int rank, const char *key, char *value, size_t size, bool *found)
{
    Question *q = find(rank, key);

    *found = false;
    if (!q)
        return MPIR_Err("**pmi_nomem", key);
    /* pairs with answer()'s store */
    switch (atomic_load_explicit(&q->stage, memory_order_acquire)) {
    case ASKED:
        return MPI_SUCCESS;
    case REFUSED:
        if (!is_not_yet(q->status))
            return MPIR_Pmix_error("PMIx_Get_nb", q->status);
        return MPL_now_ns() - q->answered_ns < ASK_AGAIN_NS ? MPI_SUCCESS : ask(q);
    default:
        if (!MPL_strcpy(value, size, q->value))
            return MPIR_Err("**pmi_value", key, (int) strlen(q->value), (int) size - 1);
        *found = true;
        return MPI_SUCCESS;
    }
}

void MPIR_Pmix_get_free(void)
{
    while (gets.first) {
        Question *q = gets.first;
        gets.first = q->next;
        free(q->value);
        free(q);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* For the process to put it, for MPIR_CVAR_PMI_TIMEOUT at most. */
int MPIR_Pmix_get(int rank, const char *key, char *value, size_t size, bool *found)
{
    Question *q = find(rank, key);
    uint64_t deadline = MPL_now_ns() + (uint64_t) MPIR_CVAR_PMI_TIMEOUT * 1000000000u;

    for (;;) {
        int err = MPIR_Pmix_try(rank, key, value, size, found);
        if (err || *found)
            return err;
        if (MPL_now_ns() > deadline)
            return MPIR_Err("**pmi_timeout", key, MPIR_CVAR_PMI_TIMEOUT);
        MPL_sleep_on(&q->stage, atomic_load_explicit(&q->stage, memory_order_relaxed),
                     ASK_AGAIN_NS);
    }
}

#endif /* HAVE_PMIX */
