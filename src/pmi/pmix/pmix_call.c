/* Calls of libpmix that wait for the server, which may be stopped or broken: another thread makes
 * them, and is waited for so long only. See pmix_impl.h. */
#include "mpichconf.h"

#ifdef HAVE_PMIX
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../wire/pmi_wire.h"
#include "mpl.h"
#include "pmix_impl.h"

/* Stays when its thread does. */
typedef struct Call {
    _Atomic uint32_t over;
    MPIR_Pmix_call_kind kind;
    int code;
    char text[256];
    pmix_proc_t me;
    pmix_status_t status;
} Call;

static void *make(void *arg)
{
    Call *c = arg;

    switch (c->kind) {
    case MPIR_PMIX_INIT:
        c->status = MPIR_Pmix.init(&c->me, NULL, 0);
        break;
    case MPIR_PMIX_ABORT:
        c->status = MPIR_Pmix.abort(c->code, c->text, NULL, 0);
        break;
    case MPIR_PMIX_FINALIZE:
        c->status = MPIR_Pmix.finalize(NULL, 0);
        break;
    }
    /* pairs with await()'s load: the results before the word */
    atomic_store_explicit(&c->over, 1, memory_order_release);
    MPL_wake(&c->over, 1);
    return NULL;
}

static bool await(Call *c, uint64_t limit_ns)
{
    uint64_t deadline = MPL_now_ns() + limit_ns;

    while (atomic_load_explicit(&c->over, memory_order_acquire) == 0) {
        uint64_t now = MPL_now_ns();
        if (now >= deadline)
            return false;
        MPL_sleep_on(&c->over, 0, (int64_t) (deadline - now));
    }
    return true;
}

/* The thread, and those that libpmix starts from it, take no signal of the user's. */
static bool start(Call *c)
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, make, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

pmix_status_t MPIR_Pmix_call(MPIR_Pmix_call_kind kind, int code, const char *text, int seconds)
{
    Call *c = calloc(1, sizeof(*c));

    if (!c)
        return PMIX_ERR_NOMEM;
    c->kind = kind;
    c->code = code;
    MPIR_Pmi_quote(text, c->text, sizeof(c->text));
    if (!start(c)) {
        free(c);
        return PMIX_ERR_NOMEM;
    }
    if (!await(c, (uint64_t) seconds * 1000000000u))
        return PMIX_ERR_TIMEOUT;
    pmix_status_t status = c->status;
    if (kind == MPIR_PMIX_INIT && status == PMIX_SUCCESS)
        MPIR_Pmix_me = c->me;
    free(c);
    return status;
}

#endif /* HAVE_PMIX */
