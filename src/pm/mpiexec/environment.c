/* The environment of a rank. See environment.h. */
#include "environment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "mpir_nodedir.h"
#include "mpl.h"

extern char **environ;

#define RANK_VARIABLES 8 /* that PM_env_of_rank() adds */
#define RANK_TEXT 48

struct PM_env {
    int n, max;
    char **list; /* n that are shared, then those of the rank, then NULL */
    char **owned; /* made here, to be freed */
    int n_owned;
    char text[RANK_VARIABLES][RANK_TEXT];
    char *psets, *errhandler; /* made once: all ranks have the same */
};

/* Would the variable tell a rank of ours about a job around this one? */
static bool is_of_outer_job(const char *entry)
{
    static const char *const prefix[] = { "PMI_",
                                          "PMI2_",
                                          "PMIX_",
                                          "MPI_LOCALRANKID=",
                                          "MPI_LOCALNRANKS=",
                                          MPIR_NODEDIR_ENV "=",
                                          "PERENNIAL_PSETS=",
                                          "PERENNIAL_INITIAL_ERRHANDLER=" };

    for (size_t i = 0; i < MPL_ARRAY_SIZE(prefix); i++) {
        if (strncmp(entry, prefix[i], strlen(prefix[i])) == 0)
            return strncmp(entry, "PMI_DEBUG=", 10) != 0;
    }
    return false;
}

/* Is the name of the entry in "A,B"? */
static bool is_listed(const char *list, const char *entry)
{
    size_t len = strcspn(entry, "=");

    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        if (n == len && memcmp(p, entry, n) == 0)
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

static bool passes(const PM_env_rules *rules, const char *entry)
{
    return !rules->none && (!rules->list || is_listed(rules->list, entry));
}

static bool append(PM_env *env, char *entry)
{
    if (env->n + RANK_VARIABLES + 1 >= env->max) {
        int max = env->max ? env->max * 2 : 128;
        char **grown = realloc(env->list, (size_t) max * sizeof(*grown));
        if (!grown)
            return false;
        env->list = grown;
        env->max = max;
    }
    env->list[env->n++] = entry;
    return true;
}

char *PM_env_entry(const PM_setting *set)
{
    size_t n = strlen(set->name), v = strlen(set->value);
    char *entry = malloc(n + v + 2);

    if (entry) {
        memcpy(entry, set->name, n);
        entry[n] = '=';
        memcpy(entry + n + 1, set->value, v + 1);
    }
    return entry;
}

/* Set or replace. */
static bool set(PM_env *env, const PM_setting *s)
{
    char *entry = PM_env_entry(s);
    char **grown = realloc(env->owned, (size_t) (env->n_owned + 1) * sizeof(*grown));

    if (grown)
        env->owned = grown;
    if (!entry || !grown) {
        free(entry);
        return false;
    }
    env->owned[env->n_owned++] = entry;
    for (int i = 0; i < env->n; i++) {
        if (is_listed(s->name, env->list[i])) {
            env->list[i] = entry;
            return true;
        }
    }
    return append(env, entry);
}

static bool set_all(PM_env *env, const PM_env_rules *rules)
{
    for (int i = 0; i < rules->n_set; i++) {
        if (!set(env, &rules->set[i]))
            return false;
    }
    return true;
}

PM_env *PM_env_new(const PM_env_rules *global, const PM_env_rules *local)
{
    PM_env *env = calloc(1, sizeof(*env));
    bool good = env != NULL;

    for (char **e = environ; good && *e; e++) {
        if (passes(global, *e) && passes(local, *e) && !is_of_outer_job(*e))
            good = append(env, *e);
    }
    if (good && set_all(env, global) && set_all(env, local) && (env->list || append(env, "")))
        return env;
    PM_env_free(env);
    return NULL;
}

void PM_env_free(PM_env *env)
{
    if (!env)
        return;
    for (int i = 0; i < env->n_owned; i++)
        free(env->owned[i]);
    free(env->owned);
    free(env->list);
    free(env->psets);
    free(env->errhandler);
    free(env);
}

/* The k-th variable of the rank; its number is the new k. */
static int put_number(PM_env *env, int k, const char *name, int value)
{
    snprintf(env->text[k], RANK_TEXT, "%s=%d", name, value);
    env->list[env->n + k] = env->text[k];
    return k + 1;
}

static int put_text(PM_env *env, int k, char **entry, const PM_setting *s)
{
    if (!s->value)
        return k;
    if (!*entry)
        *entry = PM_env_entry(s);
    env->list[env->n + k] = *entry;
    return k + (*entry != NULL);
}

char **PM_env_of_rank(PM_env *env, const PM_rank_env *rank)
{
    int k = put_number(env, 0, "PMI_FD", rank->pmi_fd);

    k = put_number(env, k, "PMI_RANK", rank->rank);
    k = put_number(env, k, "PMI_SIZE", rank->size);
    k = put_number(env, k, "MPI_LOCALRANKID", rank->rank);
    k = put_number(env, k, "MPI_LOCALNRANKS", rank->size);
    if (rank->nodedir_fd >= 0)
        k = put_number(env, k, MPIR_NODEDIR_ENV, rank->nodedir_fd);
    k = put_text(env, k, &env->psets, &(PM_setting) { "PERENNIAL_PSETS", rank->psets });
    k = put_text(env, k, &env->errhandler,
                 &(PM_setting) { "PERENNIAL_INITIAL_ERRHANDLER", rank->errhandler });
    env->list[env->n + k] = NULL;
    return env->list;
}

void PM_env_hide_outer_job(void)
{
    static const char *const names[] = { "PMI_FD", MPIR_NODEDIR_ENV };

    for (size_t i = 0; i < MPL_ARRAY_SIZE(names); i++) {
        long long fd;
        const char *text = getenv(names[i]);
        /* close-on-exec belongs to our number for it, not to the open file that others share */
        if (text && MPL_parse_int(text, 3, 1 << 30, &fd))
            fcntl((int) fd, F_SETFD, FD_CLOEXEC);
    }
}
