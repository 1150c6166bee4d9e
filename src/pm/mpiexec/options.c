/* The command line: a table of options, each with the function that takes its arguments. See
 * options.h. */
#include "options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../pmi/wire/pmi_wire.h"
#include "handover.h"
#include "mpi.h"
#include "mpir_nodedir.h"
#include "mpl.h"

typedef struct Parser {
    PM_options *o;
    PM_app app; /* being described */
    bool open; /* a program must follow */
    PM_action action;
    char *error;
    size_t size;
} Parser;

typedef bool Take_fn(Parser *p, const char *name, char **arg);

/* Always false, to end a function. */
static bool bad(Parser *p, const char *format, ...) MPL_PRINTF(2, 3);
static bool bad(Parser *p, const char *format, ...)
{
    va_list args;

    p->action = PM_BAD;
    va_start(args, format);
    vsnprintf(p->error, p->size, format, args);
    va_end(args);
    return false;
}

/* ---- one option each ------------------------------------------------------------------------- */

static bool take_help(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    p->action = PM_HELP;
    return true;
}

static bool take_version(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    p->action = PM_VERSION;
    return true;
}

static bool number_of_ranks(Parser *p, const char *name, const char *text, int *ranks)
{
    long long n;

    if (!MPL_parse_int(text, 1, MPIR_NODEDIR_MAX_LOCAL, &n))
        return bad(p, "%s: expected a number of ranks from 1 to %d, came \"%s\"", name,
                   MPIR_NODEDIR_MAX_LOCAL, text);
    *ranks = (int) n;
    return true;
}

static bool take_n(Parser *p, const char *name, char **arg)
{
    return p->app.n_given = number_of_ranks(p, name, arg[0], &p->app.n);
}

static bool take_label(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    return p->o->label = true;
}

static bool take_verbose(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    return p->o->verbose = true;
}

static bool take_exit_info(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    return p->o->exit_info = true;
}

static bool take_stdin(Parser *p, const char *name, char **arg)
{
    long long rank;

    if (strcmp(arg[0], "none") == 0)
        p->o->stdin_to = PM_STDIN_NONE;
    else if (strcmp(arg[0], "all") == 0)
        p->o->stdin_to = PM_STDIN_ALL;
    else if (MPL_parse_int(arg[0], 0, MPIR_NODEDIR_MAX_LOCAL - 1, &rank))
        p->o->stdin_to = (int) rank;
    else
        return bad(p, "%s: expected a rank, all or none, came \"%s\"", name, arg[0]);
    return true;
}

static bool take_timeout(Parser *p, const char *name, char **arg)
{
    char *end;

    p->o->timeout = strtod(arg[0], &end);
    if (end == arg[0] || *end || !(p->o->timeout > 0) || p->o->timeout > 1e9)
        return bad(p, "%s: expected a number of seconds above 0, came \"%s\"", name, arg[0]);
    return true;
}

static bool take_bind(Parser *p, const char *name, char **arg)
{
    static const char *const known[] = { "none", "core", "socket", "numa", "hwthread" };

    p->o->bind_to = arg[0];
    for (size_t i = 0; i < MPL_ARRAY_SIZE(known); i++) {
        if (strcmp(arg[0], known[i]) == 0)
            return true;
    }
    if (strncmp(arg[0], "user:", 5) == 0 && arg[0][5])
        return true;
    return bad(p,
               "%s: expected none, core, socket, numa, hwthread or user:CPUS,CPUS,..., came \"%s\"",
               name, arg[0]);
}

static bool take_map(Parser *p, const char *name, char **arg)
{
    static const char *const known[] = { "core", "socket", "numa", "hwthread" };

    p->o->map_by = arg[0];
    for (size_t i = 0; i < MPL_ARRAY_SIZE(known); i++) {
        if (strcmp(arg[0], known[i]) == 0)
            return true;
    }
    return bad(p, "%s: expected core, socket, numa or hwthread, came \"%s\"", name, arg[0]);
}

static bool take_errhandler(Parser *p, const char *name, char **arg)
{
    static const char *const known[] = { "mpi_errors_are_fatal", "mpi_errors_abort",
                                         "mpi_errors_return" };

    for (size_t i = 0; i < MPL_ARRAY_SIZE(known); i++) {
        if (strcasecmp(arg[0], known[i]) == 0) {
            p->o->errhandler = known[i];
            return true;
        }
    }
    return bad(
        p, "%s: expected mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return, came \"%s\"",
        name, arg[0]);
}

/* Is the name among the sets that were given already? */
static bool has_pset(const char *psets, const char *name, size_t len)
{
    for (const char *p = psets; p && *p; p = strchr(p, ';') ? strchr(p, ';') + 1 : NULL) {
        if (strncmp(p, name, len + 1) == 0)
            return true;
    }
    return false;
}

static bool take_pset(Parser *p, const char *name, char **arg)
{
    const char *equal = strrchr(arg[0], '=');
    size_t len = equal ? (size_t) (equal - arg[0]) : 0;

    /* ranks are checked when their number is known */
    if (len == 0 || strchr(arg[0], ';') || !MPIR_Pmi_ranks_valid(equal + 1, MPIR_NODEDIR_MAX_LOCAL))
        return bad(p,
                   "%s: expected NAME=RANKS with ranks such as 0,2-5 and no ';' in it, came \"%s\"",
                   name, arg[0]);
    if (!MPIR_Pmi_pset_name_valid(arg[0], len))
        return bad(p, "%s: names that begin with mpi:// are MPI's own, and one has less than %d bytes, came \"%s\"", name,
                   MPI_MAX_PSET_NAME_LEN, arg[0]);
    if (has_pset(p->o->psets, arg[0], len))
        return bad(p, "%s: the name is used twice, came \"%s\"", name, arg[0]);
    size_t before = p->o->psets ? strlen(p->o->psets) + 1 : 0, more = strlen(arg[0]) + 1;
    char *grown = realloc(p->o->psets, before + more);
    if (!grown)
        return bad(p, "out of memory");
    if (before)
        grown[before - 1] = ';';
    memcpy(grown + before, arg[0], more);
    p->o->psets = grown;
    return true;
}

static bool add_setting(Parser *p, PM_env_rules *env, PM_setting set)
{
    PM_setting *grown = realloc(env->set, (size_t) (env->n_set + 1) * sizeof(*grown));

    if (!grown)
        return bad(p, "out of memory");
    env->set = grown;
    grown[env->n_set++] = set;
    return true;
}

static bool set_env(Parser *p, PM_env_rules *env, const char *name, char **arg)
{
    if (!arg[0][0] || strchr(arg[0], '='))
        return bad(p, "%s: expected NAME VALUE or NAME=VALUE, came \"%s\"", name, arg[0]);
    return add_setting(p, env, (PM_setting) { arg[0], arg[1] });
}

static bool take_env(Parser *p, const char *name, char **arg)
{
    return set_env(p, &p->app.env, name, arg);
}

static bool take_genv(Parser *p, const char *name, char **arg)
{
    return set_env(p, &p->o->env, name, arg);
}

static bool take_envlist(Parser *p, const char *name, char **arg)
{
    (void) name;
    p->app.env.list = arg[0];
    return true;
}

static bool take_genvlist(Parser *p, const char *name, char **arg)
{
    (void) name;
    p->o->env.list = arg[0];
    return true;
}

static bool take_envnone(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    return p->app.env.none = true;
}

static bool take_genvnone(Parser *p, const char *name, char **arg)
{
    (void) name, (void) arg;
    return p->o->env.none = true;
}

/* What happens anyway; accepted, since other launchers have it. */
static bool take_nothing(Parser *p, const char *name, char **arg)
{
    (void) p, (void) name, (void) arg;
    return true;
}

static bool take_wdir(Parser *p, const char *name, char **arg)
{
    if (!arg[0][0])
        return bad(p, "%s: expected a directory, came \"\"", name);
    p->app.wdir = arg[0];
    return true;
}

static bool take_hosts(Parser *p, const char *name, char **arg)
{
    (void) name;
    p->o->hosts = arg[0];
    return true;
}

static bool take_hostfile(Parser *p, const char *name, char **arg)
{
    (void) name;
    p->o->hostfile = arg[0];
    return true;
}

static bool take_ppn(Parser *p, const char *name, char **arg)
{
    return number_of_ranks(p, name, arg[0], &p->o->ppn);
}

static bool take_launcher(Parser *p, const char *name, char **arg)
{
    const char *all;

    if (!PM_launcher_known(arg[0], &all))
        return bad(p, "%s: expected %s, came \"%s\"", name, all, arg[0]);
    p->o->launcher = arg[0];
    return true;
}

static bool parse_list(Parser *p, char **argv);

static bool take_config(Parser *p, const char *name, char **arg)
{
    int argc;

    if (p->o->config)
        return bad(p, "%s: expected once, came again with \"%s\"", name, arg[0]);
    p->o->config = PM_config_read(arg[0], &argc, p->error, p->size);
    if (!p->o->config) {
        p->action = PM_BAD;
        return false;
    }
    return parse_list(p, p->o->config);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct Option {
    const char *name, *alias;
    int n_args; /* 2: NAME VALUE, or one argument NAME=VALUE */
    Take_fn *take;
    const char *args, *help;
} options[] = {
    { "-n", "-np", 1, take_n, "N", "start N ranks of the program (1)" },
    { "-wdir", "-wd", 1, take_wdir, "DIR", "start the program in DIR" },
    { "-env", NULL, 2, take_env, "NAME VALUE", "set a variable for this program" },
    { "-envlist", NULL, 1, take_envlist, "A,B,...", "pass only these variables to this program" },
    { "-envnone", NULL, 0, take_envnone, "", "pass no variable to this program" },
    { "-envall", NULL, 0, take_nothing, "", "pass all variables (default)" },
    { "-genv", NULL, 2, take_genv, "NAME VALUE", "set a variable for all programs" },
    { "-genvlist", NULL, 1, take_genvlist, "A,B,...", "pass only these variables" },
    { "-genvnone", NULL, 0, take_genvnone, "", "pass no variable" },
    { "-genvall", NULL, 0, take_nothing, "", "pass all variables (default)" },
    { "-l", "-prepend-rank", 0, take_label, "", "put the rank before each line of output" },
    { "-stdin", "-s", 1, take_stdin, "WHO", "who reads standard input: a rank, all or none (0)" },
    { "-timeout", NULL, 1, take_timeout, "S",
      "after S seconds show what each rank does, and end the job" },
    { "-bind-to", "-binding", 1, take_bind, "WHAT",
      "none, core, socket, numa, hwthread or user:CPUS,... (none)" },
    { "-map-by", NULL, 1, take_map, "WHAT", "deal ranks out over core, socket, numa or hwthread" },
    { "-initial-errhandler", NULL, 1, take_errhandler, "NAME",
      "mpi_errors_are_fatal, mpi_errors_abort, mpi_errors_return" },
    { "-pset", NULL, 1, take_pset, "NAME=RANKS",
      "a process set for sessions, such as app://io=0,2-5" },
    { "-configfile", NULL, 1, take_config, "FILE",
      "take programs and options from FILE, a program a line" },
    { "-exitinfo", "-print-all-exitcodes", 0, take_exit_info, "",
      "tell at the end how each rank ended" },
    { "-v", "-verbose", 0, take_verbose, "", "tell what is done" },
    { "-hosts", "-host", 1, take_hosts, "HOST,...",
      "where the ranks run; for other machines than this one another launcher takes over" },
    { "-f", "-hostfile", 1, take_hostfile, "FILE", "the same, a host on each line" },
    { "-machinefile", NULL, 1, take_hostfile, "FILE", NULL },
    { "-ppn", NULL, 1, take_ppn, "N", "so many ranks on each host" },
    { "-launcher", NULL, 1, take_launcher, "WHICH",
      "local, srun, hydra, prterun or mpirun (by the hosts, and by what is there)" },
    { "-version", "-V", 0, take_version, "", "show the version" },
    { "-help", "-h", 0, take_help, "", "show this" },
};

static const struct Option *find_option(const char *name)
{
    for (size_t i = 0; i < MPL_ARRAY_SIZE(options); i++) {
        const struct Option *o = &options[i];
        if (strcmp(o->name, name) == 0 || (o->alias && strcmp(o->alias, name) == 0))
            return o;
    }
    return NULL;
}

static bool unknown_option(Parser *p, const char *name)
{
    const char *nearest = NULL;
    int best = 4; /* farther than this is another word */

    for (size_t i = 0; i < MPL_ARRAY_SIZE(options); i++) {
        int d = MPL_edit_distance(options[i].name, name);
        if (d < best) {
            best = d;
            nearest = options[i].name;
        }
    }
    if (nearest)
        return bad(p, "unknown option %s; did you mean %s? (mpiexec -help lists all)", name,
                   nearest);
    return bad(p, "unknown option %s (mpiexec -help lists all)", name);
}

void PM_options_help(FILE *to)
{
    fputs("Usage: mpiexec [options] program [arguments] [: [options] program [arguments]]...\n"
          "Starts an MPI job on this machine.\n\n", to);
    for (size_t i = 0; i < MPL_ARRAY_SIZE(options); i++) {
        char left[64];
        if (!options[i].help)
            continue;
        snprintf(left, sizeof(left), "%s%s%s %s", options[i].name, options[i].alias ? ", " : "",
                 options[i].alias ? options[i].alias : "", options[i].args);
        fprintf(to, "  %-34s %s\n", left, options[i].help);
    }
    fputs("\nThe exit code is that of the first rank that failed: 128 + signal if it was killed, "
          "the code of MPI_Abort,\n"
          "124 after -timeout, 126 or 127 if the program could not be started. See mpiexec(1).\n",
          to);
}

/* ---- parsing --------------------------------------------------------------------------------- */

static void start_app(Parser *p)
{
    p->app = (PM_app) { .n = 1 };
    p->open = false;
}

/* The program and its arguments: up to ':' or the end. Returns where it ends. */
static char **end_app(Parser *p, char **argv)
{
    PM_options *o = p->o;
    char **end = argv;

    while (*end && strcmp(*end, ":") != 0)
        end++;
    PM_app *grown = realloc(o->app, (size_t) (o->n_apps + 1) * sizeof(*grown));
    char **copy = calloc((size_t) (end - argv) + 1, sizeof(*copy));
    if (grown)
        o->app = grown;
    if (!grown || !copy) {
        free(copy);
        bad(p, "out of memory");
        return NULL;
    }
    memcpy(copy, argv, (size_t) (end - argv) * sizeof(*copy));
    p->app.argv = copy;
    o->app[o->n_apps++] = p->app;
    if (p->app.n > MPIR_NODEDIR_MAX_LOCAL - o->n_ranks) {
        bad(p, "-n: expected at most %d ranks in all, came more", MPIR_NODEDIR_MAX_LOCAL);
        return NULL;
    }
    o->n_ranks += p->app.n;
    start_app(p);
    return end;
}

/* One option with its arguments; returns where the next one starts. */
static char **take_option(Parser *p, char **argv)
{
    const char *name = argv[0][0] == '-' && argv[0][1] == '-' ? argv[0] + 1 : argv[0];
    const struct Option *o = find_option(name);
    char *equal = argv[1] ? strchr(argv[1], '=') : NULL;

    if (!o) {
        unknown_option(p, name);
        return NULL;
    }
    p->open = true;
    if (o->n_args == 2 && equal) { /* NAME=VALUE */
        *equal = '\0';
        return o->take(p, name, (char *[]) { argv[1], equal + 1 }) ? argv + 2 : NULL;
    }
    for (int i = 1; i <= o->n_args; i++) {
        if (!argv[i]) {
            bad(p, "%s: expected %s, came nothing", name, o->args);
            return NULL;
        }
    }
    return o->take(p, name, argv + 1) ? argv + 1 + o->n_args : NULL;
}

static bool parse_list(Parser *p, char **argv)
{
    while (argv && *argv && p->action == PM_RUN) {
        bool dashes = strcmp(*argv, "--") == 0;
        if (strcmp(*argv, ":") == 0)
            return bad(p, "expected a program before ':', came none");
        if ((*argv)[0] == '-' && (*argv)[1] && !dashes) {
            argv = take_option(p, argv);
            continue;
        }
        argv += dashes;
        if (!*argv || !(argv = end_app(p, argv)))
            break;
        if (*argv) { /* ':' */
            p->open = true;
            argv++;
        }
    }
    return p->action != PM_BAD;
}

/* What can be checked only when everything is known. */
static bool check_all(Parser *p)
{
    PM_options *o = p->o;

    if (p->open || o->n_apps == 0)
        return bad(p, "expected a program to start, came none (mpiexec -help)");
    if (o->stdin_to >= o->n_ranks)
        return bad(p, "-stdin: expected a rank from 0 to %d, came \"%d\"", o->n_ranks - 1,
                   o->stdin_to);
    for (char *s = o->psets; s; s = strchr(s, ';') ? strchr(s, ';') + 1 : NULL) {
        char item[512];
        snprintf(item, sizeof(item), "%.*s", (int) MPL_MIN(strcspn(s, ";"), sizeof(item) - 1), s);
        if (!MPIR_Pmi_ranks_valid(strrchr(item, '=') ? strrchr(item, '=') + 1 : "", o->n_ranks))
            return bad(p, "-pset: expected ranks from 0 to %d, came \"%s\"", o->n_ranks - 1, item);
    }
    return true;
}

PM_action PM_options_parse(int argc, char **argv, PM_options *options, char *error, size_t size)
{
    Parser p = { .o = options, .action = PM_RUN, .error = error, .size = size };

    (void) argc; /* the list ends with NULL */
    *options = (PM_options) { .stdin_to = 0 };
    start_app(&p);
    if (parse_list(&p, argv + 1) && p.action == PM_RUN)
        check_all(&p);
    if (p.action != PM_RUN)
        free(p.app.env.set);
    return p.action;
}

void PM_options_free(PM_options *options)
{
    for (int i = 0; i < options->n_apps; i++) {
        free(options->app[i].argv);
        free(options->app[i].env.set);
    }
    free(options->app);
    free(options->env.set);
    free(options->psets);
    if (options->config)
        PM_config_free(options->config);
    *options = (PM_options) { 0 };
}
