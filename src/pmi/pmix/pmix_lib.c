/* libpmix is opened only if a PMIx launcher has started this process. See pmix_impl.h. */
#include "mpichconf.h"

#ifdef HAVE_PMIX
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../pmi_backend.h"
#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"
#include "pmix_impl.h"

MPIR_Pmix_lib MPIR_Pmix;
pmix_proc_t MPIR_Pmix_me;

/* ---- the library ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void *slot;
} symbols[] = {
    { "PMIx_Init", &MPIR_Pmix.init },
    { "PMIx_Finalize", &MPIR_Pmix.finalize },
    { "PMIx_Put", &MPIR_Pmix.put },
    { "PMIx_Commit", &MPIR_Pmix.commit },
    { "PMIx_Get", &MPIR_Pmix.get },
    { "PMIx_Get_nb", &MPIR_Pmix.get_nb },
    { "PMIx_Query_info", &MPIR_Pmix.query },
    { "PMIx_Abort", &MPIR_Pmix.abort },
    { "PMIx_Error_string", &MPIR_Pmix.error_string },
};

/* It stays open: it has a thread. */
static int load(void)
{
    static const char *const place[] = { "libpmix.so.2", PMIX_LIBDIR "/libpmix.so.2" };
    void *lib = NULL;

    for (size_t i = 0; i < MPL_ARRAY_SIZE(place) && !lib; i++)
        lib = dlopen(place[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return MPIR_Err("**pmix_lib", dlerror());
    for (size_t i = 0; i < MPL_ARRAY_SIZE(symbols); i++) {
        void *function = dlsym(lib, symbols[i].name);
        if (!function)
            return MPIR_Err("**pmix_lib", dlerror());
        memcpy(symbols[i].slot, &function, sizeof(function));
    }
    return MPI_SUCCESS;
}

/* ---- what belongs to the user ---------------------------------------------------------------- */

enum { N_SIGNALS = 32 };

/* PMIx_Init() puts PMIX_MCA_* into the environment, which children would inherit. */
typedef struct Before {
    struct sigaction action[N_SIGNALS];
    char **env; /* the entries, by address; NULL: out of memory, nothing is put back */
    size_t n_env;
} Before;

extern char **environ;

static void remember(Before *b)
{
    for (int i = 1; i < N_SIGNALS; i++)
        sigaction(i, NULL, &b->action[i]);
    b->n_env = 0;
    while (environ && environ[b->n_env])
        b->n_env++;
    b->env = malloc((b->n_env + 1) * sizeof(*b->env));
    if (b->env && b->n_env)
        memcpy(b->env, environ, b->n_env * sizeof(*b->env));
}

static bool was_there(const Before *b, const char *entry)
{
    size_t len = strcspn(entry, "=");

    for (size_t i = 0; i < b->n_env; i++) {
        if (strncmp(b->env[i], entry, len + 1) == 0)
            return true;
    }
    return false;
}

static void remove_new_variables(const Before *b)
{
    char name[128];

    for (size_t i = 0; environ[i];) {
        size_t len = strcspn(environ[i], "=");
        if (strncmp(environ[i], "PMIX_", 5) != 0 || len >= sizeof(name) ||
            was_there(b, environ[i])) {
            i++;
            continue;
        }
        memcpy(name, environ[i], len);
        name[len] = '\0';
        unsetenv(name); /* moves the rest up */
    }
}

static void restore(Before *b)
{
    struct sigaction now;

    for (int i = 1; i < N_SIGNALS; i++) {
        if (sigaction(i, NULL, &now) == 0 && now.sa_handler != b->action[i].sa_handler)
            sigaction(i, &b->action[i], NULL);
    }
    if (b->env && environ)
        remove_new_variables(b);
    free(b->env);
}

/* ---- opening --------------------------------------------------------------------------------- */

int MPIR_Pmix_open(void)
{
    Before before;
    int err = load();

    if (err)
        return err;
    remember(&before);
    pmix_status_t status = MPIR_Pmix_call(MPIR_PMIX_INIT, 0, "", MPIR_CVAR_PMI_TIMEOUT);
    restore(&before);
    return status == PMIX_SUCCESS ? MPI_SUCCESS : MPIR_Pmix_error("PMIx_Init", status);
}

int MPIR_Pmix_error(const char *what, pmix_status_t status)
{
    const char *text = MPIR_Pmix.error_string(status);

    return MPIR_Err("**pmix_call", what, text ? text : "unknown", (int) status);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What PMIX_VALUE_RELEASE does for the types that are asked for; the macro calls into libpmix. */
void MPIR_Pmix_free(pmix_value_t *value)
{
    if (value && value->type == PMIX_STRING)
        free(value->data.string);
    free(value);
}

bool MPIR_Pmix_number(const pmix_value_t *value, int *number)
{
    long long n = -1;

    switch (value->type) {
    case PMIX_UINT16:
        n = value->data.uint16;
        break;
    case PMIX_UINT32:
    case PMIX_PROC_RANK:
        n = value->data.uint32;
        break;
    case PMIX_INT:
    case PMIX_INT32:
        n = value->data.int32;
        break;
    case PMIX_UINT:
        n = value->data.uint;
        break;
    case PMIX_UINT64:
    case PMIX_SIZE:
        n = value->data.uint64 <= 0x7fffffff ? (long long) value->data.uint64 : -1;
        break;
    default:
        break;
    }
    if (n < 0 || n > 0x7fffffff)
        return false;
    *number = (int) n;
    return true;
}

#endif /* HAVE_PMIX */
