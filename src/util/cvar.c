/* Control variables: from the environment into the variables, with a word on what was wrong.
 *
 * Called by whichever of MPI and MPI_T starts first. Complaints are kept until it is known who rank 0 is, since one
 * process of a job should utter them.
 */
#include "mpir_cvar.h"

#include "mpir_err.h"
#include "mpl.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX "MPIR_CVAR_"

extern char **environ;

typedef struct Complaint {
    struct Complaint *next;
    char text[512];
} Complaint;

/* Lives with the process. */
static struct {
    pthread_once_t once;
    pthread_mutex_t lock;    /* guards the list */
    Complaint *first, **end; /* in order; taken by the first report */
} state = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .end = &state.first };

static void MPL_PRINTF(1, 2) complain(const char *format, ...)
{
    Complaint *c = calloc(1, sizeof(*c));

    if (!c)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(c->text, sizeof(c->text), format, args);
    va_end(args);
    *state.end = c;
    state.end = &c->next;
}

/* ---- one value --------------------------------------------------------------------------------- */

static void set_int(const MPIR_Cvar *cvar, const char *text)
{
    long long value;

    if (MPL_parse_int(text, cvar->low, cvar->high, &value))
        *(int *) cvar->value = (int) value;
    else
        complain("%s=\"%.100s\": expected an integer of %lld to %lld%s%s; the default, %d, serves",
                 cvar->name, text, cvar->low, cvar->high, cvar->unit[0] ? ", in " : "", cvar->unit,
                 *(int *) cvar->value);
}

static void set_bool(const MPIR_Cvar *cvar, const char *text)
{
    static const char *const words[][2] = {
        { "0", "1" },
        { "no", "yes" },
        { "false", "true" },
        { "off", "on" },
    };

    for (size_t i = 0; i < MPL_ARRAY_SIZE(words); i++) {
        for (int value = 0; value < 2; value++) {
            if (strcasecmp(text, words[i][value]) == 0) {
                *(int *) cvar->value = value;
                return;
            }
        }
    }
    complain("%s=\"%.100s\": expected a boolean: 1, yes, true, on or 0, no, false, off; "
             "the default, %s, serves",
             cvar->name, text, *(int *) cvar->value ? "on" : "off");
}

/* Is text one of the words in "auto|1|2"? */
static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);

    for (const char *p = choices;; p++) {
        size_t n = strcspn(p, "|");
        if (n == len && strncmp(p, text, n) == 0)
            return true;
        p += n;
        if (*p == '\0')
            return false;
    }
}

static void set_string(const MPIR_Cvar *cvar, const char *text)
{
    const char **value = cvar->value;

    if (cvar->choices && !is_choice(cvar->choices, text)) {
        complain("%s=\"%.100s\": expected one of %s; the default, \"%s\", serves", cvar->name, text,
                 cvar->choices, *value ? *value : "");
        return;
    }
    /* A copy, which is never freed: the program may change its environment. */
    char *copy = strdup(text);
    if (copy)
        *value = copy;
    else
        complain("%s: out of memory; the default, \"%s\", serves", cvar->name,
                 *value ? *value : "");
}

static void set(const MPIR_Cvar *cvar, const char *text)
{
    switch (cvar->type) {
    case MPIR_CVAR_TYPE_INT:
        set_int(cvar, text);
        break;
    case MPIR_CVAR_TYPE_BOOL:
        set_bool(cvar, text);
        break;
    case MPIR_CVAR_TYPE_STRING:
        set_string(cvar, text);
        break;
    }
}

/* ---- the environment --------------------------------------------------------------------------- */

static const MPIR_Cvar *nearest(const char *name)
{
    const MPIR_Cvar *best = NULL;
    int best_distance = 0;

    for (int i = 0; i < MPIR_cvar_count; i++) {
        int d = MPL_edit_distance(name, MPIR_cvar_table[i]->name);
        if (!best || d < best_distance) {
            best = MPIR_cvar_table[i];
            best_distance = d;
        }
    }
    return best;
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, (*(const MPIR_Cvar *const *) entry)->name);
}

/* What Hydra puts into the environment of every rank for MPICH's older device: no word of the user's. */
static bool is_launchers(const char *name)
{
    return strncmp(name, "MPIR_CVAR_CH3_", strlen("MPIR_CVAR_CH3_")) == 0;
}

static bool is_known(const char *name)
{
    return bsearch(name, MPIR_cvar_table, (size_t) MPIR_cvar_count, sizeof(MPIR_cvar_table[0]),
                   compare_name) != NULL;
}

/* `setting` is "MPIR_CVAR_NAME=VALUE". */
static void check_name(const char *setting)
{
    char name[128];
    size_t len = strcspn(setting, "=");

    snprintf(name, sizeof(name), "%.*s", (int) MPL_MIN(len, sizeof(name) - 1), setting);
    if (is_known(name) || is_launchers(name))
        return;
    const MPIR_Cvar *known = nearest(name);
    complain("%s is no control variable and has no effect%s%s%s", name,
             known ? "; did you mean " : "", known ? known->name : "", known ? "?" : "");
}

static void read_environment(void)
{
    for (int i = 0; i < MPIR_cvar_count; i++) {
        const char *text = getenv(MPIR_cvar_table[i]->name);
        if (text)
            set(MPIR_cvar_table[i], text);
    }
    for (char **setting = environ; setting && *setting; setting++) {
        if (strncmp(*setting, PREFIX, strlen(PREFIX)) == 0)
            check_name(*setting);
    }
}

void MPIR_Cvar_init(void)
{
    pthread_once(&state.once, read_environment);
}

void MPIR_Cvar_report(void)
{
    pthread_mutex_lock(&state.lock);
    Complaint *c = state.first;
    state.first = NULL;
    state.end = &state.first;
    pthread_mutex_unlock(&state.lock);

    while (c) {
        Complaint *next = c->next;
        MPIR_Warn("%s", c->text);
        free(c);
        c = next;
    }
}
