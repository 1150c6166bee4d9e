/* Network modules: shared objects that are opened only if the job spans nodes.
 *
 * A module exports the table of a transport, as one given by MPIR_CVAR_TRANSPORT_PATH does. The
 * first of the list whose init succeeds serves; the others are left alone. All ranks must come to
 * the same choice, which the card that each publishes says.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpidi_core.h"
#include "mpir_cvar.h"
#include "mpir_err.h"

MPIR_CVAR_STRING(NETMOD, "ofi,ucx", NULL,
                 "The network modules to try, in order, when the ranks of the job are on more than "
                 "one node: ofi (libfabric), ucx. One that does not load or finds no network gives "
                 "way to the next.")
MPIR_CVAR_STRING(OFI_USE_PROVIDER, "", NULL,
                 "The libfabric provider to use, as fi_info names it (\"verbs;ofi_rxm\"), or its "
                 "core part alone (\"verbs\"). Empty: the first that is there of cxi, efa, psm3, "
                 "psm2, opx, gni, verbs, ucx, net, tcp, sockets, udp. FI_PROVIDER, which libfabric "
                 "itself reads, narrows what is there.")
MPIR_CVAR_STRING(NETMOD_INTERFACE, "", NULL,
                 "The network interface that netmods use (\"eth0\"), or the address of one "
                 "(\"192.0.2.7\"). Empty: they choose.")
MPIR_CVAR_INT(NETMOD_TIMEOUT, 30, 1, 86400, "s",
              "A rank on another node counts as gone when nothing has been heard from its host for "
              "this long. It may itself stand still as long as it likes.")

typedef struct Why {
    char text[1024];
    size_t used;
} Why;

static void MPL_PRINTF(2, 3) say(Why *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(why->text + why->used, sizeof why->text - why->used, format, args);
    va_end(args);
    why->used = MPL_MIN(why->used + (size_t) MPL_MAX(n, 0), sizeof why->text - 1);
}

/* ---- signals: libraries below must not touch what belongs to the user ------------------------- */

/* Some network libraries (libinfinipath, libfabric's shm, UCX) put handlers on SIGSEGV and others
 * when they are loaded or started. The user's actions are put back. */
enum { N_SIGNALS = 32 };
typedef struct Signals {
    struct sigaction action[N_SIGNALS];
    bool known[N_SIGNALS];
    stack_t stack; /* on which this thread handles signals */
    bool stack_known;
} Signals;

static void signals_save(Signals *s)
{
    for (int i = 1; i < N_SIGNALS; i++)
        s->known[i] = sigaction(i, NULL, &s->action[i]) == 0;
    s->stack_known = sigaltstack(NULL, &s->stack) == 0;
}

static bool same_action(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags;
}

static void signals_restore(const Signals *s)
{
    struct sigaction now;
    for (int i = 1; i < N_SIGNALS; i++)
        if (s->known[i] && sigaction(i, NULL, &now) == 0 && !same_action(&now, &s->action[i]))
            sigaction(i, &s->action[i], NULL);
    if (s->stack_known)
        sigaltstack(&s->stack, NULL);
}

/* ---- finding a module ------------------------------------------------------------------------ */

/* The folder that this library was loaded from, with the slash; "" if unknown. */
static void own_folder(char *folder, size_t size)
{
    Dl_info info;
    folder[0] = '\0';
    if (!dladdr((const void *) own_folder, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash)
        snprintf(folder, size, "%.*s", (int) (slash - info.dli_fname + 1), info.dli_fname);
}

/* Beside the library as installed, beside it in a build tree, or where the build would install it:
 * the library may have been copied or linked into a program. */
static void *open_module(const char *name, Why *why)
{
    static const char *const form[] = { "%sperennial/netmod_%s.so", "%snetmod_%s.so" };
    char folder[512], path[640];
    own_folder(folder, sizeof folder);
    for (size_t i = 0; i < MPL_ARRAY_SIZE(form); i++) {
        snprintf(path, sizeof path, form[i], folder, name);
        if (folder[0] && access(path, R_OK) == 0)
            goto found;
    }
    snprintf(path, sizeof path, "%s/netmod_%s.so", PERENNIAL_NETMODDIR, name);
    if (access(path, R_OK) != 0) {
        say(why, "there is no %sperennial/netmod_%s.so and no %s", folder, name, path);
        return NULL;
    }
found:;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        say(why, "%s", dlerror());
    return module;
}

/* A module that does not serve stays open: libraries under it may have threads and handlers. */
static bool try_module(const char *name, Why *why)
{
    void *module = open_module(name, why);
    const MPIDI_Transport *t = module ? dlsym(module, MPIDI_TRANSPORT_SYMBOL) : NULL;
    if (module && !t)
        say(why, "it exports no " MPIDI_TRANSPORT_SYMBOL);
    int err = t ? MPIDI_Transport_add(t) : MPI_SUCCESS;
    if (err) {
        char text[MPI_MAX_ERROR_STRING];
        MPIR_Err_text(err, text, sizeof text);
        say(why, "%s", text);
    }
    return t && !err;
}

/* The next word of a comma-separated list, lower-case letters, digits and underlines only. */
static bool next_name(const char **list, char *name, size_t size, Why *why)
{
    *list += strspn(*list, ", ");
    size_t n = strcspn(*list, ", ");
    if (n == 0)
        return false;
    size_t plain = 0;
    while (plain < n && (islower((unsigned char) (*list)[plain]) || (*list)[plain] == '_'
                         || isdigit((unsigned char) (*list)[plain])))
        plain++;
    snprintf(name, size, "%.*s", (int) n, *list);
    *list += n;
    if (plain == n && n < size)
        return true;
    say(why, "%s\"%s\" is no name of a module; ", why->used ? "; " : "", name);
    return next_name(list, name, size, why);
}

int MPIDI_Netmod_load(void)
{
    Why why = { .used = 0 };
    Signals signals;
    char name[32];
    const char *list = MPIR_CVAR_NETMOD;
    bool serves = false;
    signals_save(&signals);
    while (!serves && next_name(&list, name, sizeof name, &why)) {
        say(&why, "%s%s: ", why.used ? "; " : "", name);
        serves = try_module(name, &why);
    }
    signals_restore(&signals);
    if (serves)
        return MPI_SUCCESS;
    return MPIR_Err("**netmods", MPIR_CVAR_NETMOD, why.used ? why.text : "the list is empty");
}
