/* Options in other launchers' words. See handover.h. Looks at nothing but its arguments and the host
 * file; handover_exec.c does the rest. */
#include "handover.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "mpl.h"

/* ---- the launchers --------------------------------------------------------------------------- */

/* Forms have %s where the value goes; a form with a blank in it makes two words. NULL: cannot be
 * said, which is an error if it was asked for. "": nothing needs to be said. */
struct PM_speech {
    const char *name;
    const char *programs[4]; /* the first that is there */
    const char *n, *hosts, *ppn, *wdir, *label, *stdin_to, *timeout, *exit_info;
    const char *bind_to, *map_by, *bind_list; /* bind_list: user:LIST */
    const char *env, *genv; /* NAME=VALUE, or two words; NULL: by the environment of the launcher */
    const char *env_list, *env_none;
    const char *units; /* "core=cores": how units are called */
    const char *timeout_env; /* the variable that says it where no option does */
    const char *pmi; /* said first, unless its surroundings say so */
    bool counts;     /* hosts may have ":N" */
    bool colon;      /* programs are separated by ':' */
    bool stdin_all;  /* if nothing is said all ranks get it */
};

/* Open MPI's mpirun and PRRTE, which came out of it, have most words in common. */
#define PRTE_WORDS \
    .n = "-n %s", .hosts = "--host %s", .ppn = "--map-by ppr:%s:node", .wdir = "--wdir %s", \
    .stdin_to = "--stdin %s", .timeout = "--timeout %s", .exit_info = "", \
    .bind_to = "--bind-to %s", .map_by = "--map-by %s", .env = "-x %s", .genv = "-x %s", \
    .counts = true, .colon = true

static const PM_speech speeches[] = {
    {
        .name = "srun",
        .programs = { "srun" },
        .n = "-n %s",
        .hosts = "--nodelist=%s",
        .ppn = "--ntasks-per-node=%s",
        .wdir = "--chdir=%s",
        .label = "--label",
        .stdin_to = "--input=%s",
        .exit_info = "",
        .bind_to = "--cpu-bind=%s",
        .bind_list = "--cpu-bind=map_cpu:%s",
        .env_list = "--export=%s",
        .env_none = "--export=NONE",
        .units = "none=none core=cores socket=sockets numa=ldoms hwthread=threads",
        .pmi = "--mpi=pmi2",
        .stdin_all = true,
    },
    {
        .name = "hydra",
        .programs = { "mpiexec.hydra" },
        .n = "-n %s",
        .hosts = "-hosts %s",
        .ppn = "-ppn %s",
        .wdir = "-wdir %s",
        .label = "-l",
        .stdin_to = "-s %s",
        .timeout_env = "MPIEXEC_TIMEOUT",
        .exit_info = "-print-all-exitcodes",
        .bind_to = "-bind-to %s",
        .map_by = "-map-by %s",
        .bind_list = "-bind-to user:%s",
        .env = "-env %s %s",
        .genv = "-genv %s %s",
        .env_list = "-genvlist %s",
        .env_none = "-genvnone",
        .counts = true,
        .colon = true,
    },
    {
        .name = "prterun",
        .programs = { "prterun" },
        .label = "--output tag",
        PRTE_WORDS,
    },
    {
        .name = "mpirun",
        .programs = { "orterun", "mpirun.openmpi" },
        .label = "--tag-output",
        PRTE_WORDS,
    },
};

static const struct {
    const char *name, *speech; /* speech NULL: this mpiexec itself */
} launchers[] = {
    { "local", NULL },     { "fork", NULL },       { "srun", "srun" },
    { "slurm", "srun" },   { "hydra", "hydra" },   { "prterun", "prterun" },
    { "prte", "prterun" }, { "mpirun", "mpirun" }, { "openmpi", "mpirun" },
};

bool PM_launcher_known(const char *name, const char **all)
{
    *all = "local, srun, hydra, prterun or mpirun";
    for (size_t i = 0; i < MPL_ARRAY_SIZE(launchers); i++) {
        if (strcmp(launchers[i].name, name) == 0)
            return true;
    }
    return false;
}

static const char *speech_name(const char *launcher)
{
    for (size_t i = 0; i < MPL_ARRAY_SIZE(launchers); i++) {
        if (strcmp(launchers[i].name, launcher) == 0)
            return launchers[i].speech;
    }
    return NULL;
}

/* ---- to whom --------------------------------------------------------------------------------- */

static bool is_this_host(const char *name, size_t len)
{
    char host[256] = "";

    gethostname(host, sizeof(host) - 1);
    return (len == 9 && memcmp(name, "localhost", 9) == 0) ||
           (len == strlen(host) && memcmp(name, host, len) == 0);
}

static bool only_this_host(const char *hosts)
{
    for (const char *s = hosts; *s;) {
        if (!is_this_host(s, strcspn(s, ":,")))
            return false;
        s += strcspn(s, ",");
        s += *s == ',';
    }
    return true;
}

bool PM_handover_wanted(const PM_options *o, const PM_surroundings *here)
{
    if (o->launcher)
        return speech_name(o->launcher) != NULL;
    if (o->hosts)
        return !only_this_host(o->hosts);
    return o->hostfile || here->slurm;
}

static const char *find_program(const PM_speech *s, const PM_surroundings *here)
{
    for (size_t i = 0; i < MPL_ARRAY_SIZE(s->programs) && s->programs[i]; i++) {
        if (here->there(s->programs[i]))
            return s->programs[i];
    }
    return NULL;
}

/* Without -launcher: Slurm inside its allocation, else the first of the table that is there. */
static bool fits(const PM_speech *s, const char *asked, const PM_surroundings *here)
{
    return asked ? strcmp(asked, s->name) == 0 : here->slurm || strcmp(s->name, "srun") != 0;
}

static void say_none(const PM_options *o, const PM_surroundings *here, char *error, size_t size)
{
    if (o->launcher)
        snprintf(error, size, "-launcher %s: expected its program in PATH, came none", o->launcher);
    else
        snprintf(
            error, size,
            "this mpiexec starts ranks on this machine only and hands over to another launcher "
            "for others: expected %smpiexec.hydra, prterun or Open MPI's mpirun in PATH, came "
            "none of them (Debian: package mpich or openmpi-bin)",
            here->slurm ? "srun, " : "");
}

bool PM_handover_choose(const PM_options *o, const PM_surroundings *here, PM_choice *choice,
                        char *error, size_t size)
{
    const char *asked = o->launcher ? speech_name(o->launcher) : NULL;

    *choice = (PM_choice) { .slurm_mpi = here->slurm_mpi };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(speeches) && !choice->program; i++) {
        choice->speech = &speeches[i];
        if (fits(choice->speech, asked, here))
            choice->program = find_program(choice->speech, here);
    }
    if (!choice->program)
        say_none(o, here, error, size);
    return choice->program != NULL;
}

/* ---- making a command ------------------------------------------------------------------------ */

typedef struct Maker {
    const PM_options *o;
    const PM_speech *s;
    PM_command *c;
    char *error;
    size_t size;
    bool good;
} Maker;

static void complain(Maker *m, const char *format, ...) MPL_PRINTF(2, 3);
static void complain(Maker *m, const char *format, ...)
{
    va_list args;

    if (!m->good)
        return; /* the first is what counts */
    m->good = false;
    va_start(args, format);
    vsnprintf(m->error, m->size, format, args);
    va_end(args);
}

/* Append to a list that ends with NULL; takes the string over. */
static void append(Maker *m, char ***list, int *n, char *string)
{
    char **grown = realloc(*list, (size_t) (*n + 2) * sizeof(*grown));

    if (grown)
        *list = grown;
    if (!grown || !string) {
        free(string);
        complain(m, "out of memory");
        return;
    }
    grown[(*n)++] = string;
    grown[*n] = NULL;
}

static void word(Maker *m, const char *text)
{
    append(m, &m->c->argv, &m->c->n, strdup(text));
}

/* "%s" and a value as a new string. */
static char *fill(const char *form, const char *value)
{
    const char *at = strstr(form, "%s");
    size_t before = at ? (size_t) (at - form) : strlen(form), v = at ? strlen(value) : 0;
    const char *after = at ? at + 2 : "";
    char *text = malloc(before + v + strlen(after) + 1);

    if (text) {
        memcpy(text, form, before);
        memcpy(text + before, value, v);
        strcpy(text + before + v, after);
    }
    return text;
}

/* Say an option. */
static void say(Maker *m, const char *option, const char *form, const char *value)
{
    if (!form) {
        complain(m, "%s: cannot be said to %s, to which this job is handed over", option,
                 m->s->name);
        return;
    }
    if (!*form)
        return;
    const char *blank = strchr(form, ' ');
    if (blank) { /* the value may have blanks, the form has one */
        char *first = strndup(form, (size_t) (blank - form));
        append(m, &m->c->argv, &m->c->n, first);
        form = blank + 1;
    }
    append(m, &m->c->argv, &m->c->n, fill(form, value));
}

static void say_number(Maker *m, const char *option, const char *form, int value)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", value);
    say(m, option, form, text);
}

/* A variable in the environment of the launcher itself. */
static void set_env(Maker *m, const PM_setting *set)
{
    append(m, &m->c->env, &m->c->n_env, PM_env_entry(set));
}

/* By a form with one %s for NAME=VALUE, or with two for two words. */
static void say_env(Maker *m, const char *form, const PM_setting *set)
{
    char *text = PM_env_entry(set);

    if (!form || !strstr(form, "%s %s")) {
        say(m, "-env", form, text ? text : "");
    } else {
        append(m, &m->c->argv, &m->c->n, strndup(form, strcspn(form, " ")));
        word(m, set->name);
        word(m, set->value);
    }
    free(text);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

/* "name" or "name:N", N from 1. */
static bool is_host(const char *text, size_t len)
{
    char count[16];
    long long n;
    size_t name = MPL_MIN(len, strcspn(text, ":"));

    if (name == 0)
        return false;
    if (name == len)
        return true;
    int used = snprintf(count, sizeof(count), "%.*s", (int) (len - name - 1), text + name + 1);
    return used < (int) sizeof(count) && MPL_parse_int(count, 1, INT_MAX, &n);
}

/* "a:2" as the launcher has it, after what is in the list already. */
static char *add_host(Maker *m, char *list, const char *host, size_t len)
{
    size_t before = list ? strlen(list) + 1 : 0;
    size_t name = m->s->counts ? len : MPL_MIN(len, strcspn(host, ":"));
    char *grown = realloc(list, before + name + 1);

    if (!grown) {
        complain(m, "out of memory");
        return list;
    }
    if (before)
        grown[before - 1] = ',';
    memcpy(grown + before, host, name);
    grown[before + name] = '\0';
    return grown;
}

/* What a line of a host file says, as "name" or "name:N". False: it cannot be read. */
static bool host_of_line(char *line, char *host, size_t size)
{
    char *words;
    const char *name = strtok_r(line, " \t", &words), *slots = strtok_r(NULL, " \t", &words);

    if (slots && (strncmp(slots, "slots=", 6) != 0 || strtok_r(NULL, " \t", &words)))
        return false;
    int n = snprintf(host, size, slots ? "%s:%s" : "%s", name, slots ? slots + 6 : "");
    return n < (int) size && !strchr(host, ',') && is_host(host, (size_t) n);
}

/* A line of a host file: "name", "name:N" or "name slots=N"; '#' starts a comment. */
static char *add_line(Maker *m, char *list, char *line)
{
    char host[300], whole[80];

    line[strcspn(line, "#\r\n")] = '\0';
    line += strspn(line, " \t");
    if (!*line)
        return list;
    snprintf(whole, sizeof(whole), "%s", line);
    if (host_of_line(line, host, sizeof(host)))
        return add_host(m, list, host, strlen(host));
    complain(m, "-f %s: expected lines of the form HOST, HOST:N or HOST slots=N, came \"%.60s\"",
             m->o->hostfile, whole);
    return list;
}

static char *read_hosts(Maker *m)
{
    FILE *file = fopen(m->o->hostfile, "r");
    char *line = NULL, *list = NULL;
    size_t room = 0;

    if (!file) {
        complain(m, "-f %s: cannot be read", m->o->hostfile);
        return NULL;
    }
    while (getline(&line, &room, file) >= 0)
        list = add_line(m, list, line);
    free(line);
    fclose(file);
    if (!list)
        complain(m, "-f %s: expected a host on each line, came none", m->o->hostfile);
    return list;
}

static char *given_hosts(Maker *m)
{
    char *list = NULL;

    for (const char *s = m->o->hosts; *s;) {
        size_t len = strcspn(s, ",");
        if (len > 0 && !is_host(s, len))
            complain(m, "-hosts: expected HOST or HOST:N, came \"%.*s\"", (int) MPL_MIN(len, 60), s);
        else if (len > 0)
            list = add_host(m, list, s, len);
        s += len + (s[len] == ',');
    }
    if (!list)
        complain(m, "-hosts: expected HOST,HOST,..., came \"%s\"", m->o->hosts);
    return list;
}

static void say_hosts(Maker *m)
{
    if (!m->o->hosts && !m->o->hostfile)
        return;
    char *list = m->o->hosts ? given_hosts(m) : read_hosts(m);
    if (list)
        say(m, "-hosts", m->s->hosts, list);
    free(list);
}

/* ---- options of all programs ----------------------------------------------------------------- */

/* The launcher's word for a unit. */
static void say_unit(Maker *m, const char *option, const char *form, const char *unit)
{
    char key[32], name[32];
    const char *at = NULL;

    snprintf(key, sizeof(key), "%s=", unit);
    if (m->s->units)
        at = strstr(m->s->units, key);
    snprintf(name, sizeof(name), "%.*s", (int) (at ? strcspn(at, " ") - strlen(key) : 0),
             at ? at + strlen(key) : "");
    say(m, option, form, at ? name : unit);
}

static void say_stdin(Maker *m)
{
    if (m->o->stdin_to == PM_STDIN_NONE)
        say(m, "-stdin", m->s->stdin_to, "none");
    else if (m->o->stdin_to == PM_STDIN_ALL)
        say(m, "-stdin", m->s->stdin_to, "all");
    else if (m->o->stdin_to > 0 || m->s->stdin_all)
        say_number(m, "-stdin", m->s->stdin_to, m->o->stdin_to);
}

static void say_timeout(Maker *m)
{
    char seconds[32];

    if (!(m->o->timeout > 0))
        return;
    snprintf(seconds, sizeof(seconds), "%.0f", m->o->timeout < 1 ? 1 : m->o->timeout);
    if (m->s->timeout_env)
        set_env(m, &(PM_setting) { m->s->timeout_env, seconds });
    else
        say(m, "-timeout", m->s->timeout, seconds);
}

static void say_binding(Maker *m)
{
    const char *to = m->o->bind_to;

    if (to && strncmp(to, "user:", 5) == 0)
        say(m, "-bind-to user:", m->s->bind_list, to + 5);
    else if (to)
        say_unit(m, "-bind-to", m->s->bind_to, to);
    if (m->o->map_by)
        say_unit(m, "-map-by", m->s->map_by, m->o->map_by);
}

static void say_global_env(Maker *m)
{
    const PM_env_rules *env = &m->o->env;
    const PM_setting ours[] = { { "PERENNIAL_PSETS", m->o->psets },
                                { "PERENNIAL_INITIAL_ERRHANDLER", m->o->errhandler } };

    if (env->none)
        say(m, "-genvnone", m->s->env_none, "");
    if (env->list)
        say(m, "-genvlist", m->s->env_list, env->list);
    for (int i = 0; i < env->n_set + 2; i++) {
        const PM_setting *set = i < env->n_set ? &env->set[i] : &ours[i - env->n_set];
        if (!set->value)
            continue;
        if (m->s->genv)
            say_env(m, m->s->genv, set);
        else
            set_env(m, set);
    }
}

static void say_globals(Maker *m)
{
    const PM_options *o = m->o;

    say_hosts(m);
    if (o->ppn)
        say_number(m, "-ppn", m->s->ppn, o->ppn);
    if (o->label)
        say(m, "-l", m->s->label, "");
    if (o->exit_info)
        say(m, "-exitinfo", m->s->exit_info, "");
    say_stdin(m);
    say_timeout(m);
    say_binding(m);
    say_global_env(m);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Only what all programs have in common can be withheld from them. */
static void refuse_env_rules(Maker *m, const PM_app *app)
{
    if (app->env.none || app->env.list)
        say(m, app->env.none ? "-envnone" : "-envlist", NULL, "");
}

static void say_argv(Maker *m, const PM_app *app)
{
    for (char **a = app->argv; *a; a++)
        word(m, *a);
}

static void say_app_options(Maker *m, const PM_app *app)
{
    if (app->n_given || m->o->n_apps > 1)
        say_number(m, "-n", m->s->n, app->n);
    if (app->wdir)
        say(m, "-wdir", m->s->wdir, app->wdir);
    refuse_env_rules(m, app);
}

/* A launcher that has its own options before each program, with ':' between them. */
static void say_app(Maker *m, const PM_app *app)
{
    say_app_options(m, app);
    for (int i = 0; i < app->env.n_set; i++)
        say_env(m, m->s->env, &app->env.set[i]);
    say_argv(m, app);
}

/* What srun has no option for is done by env(1), before the program. */
static void say_only_app(Maker *m, const PM_app *app)
{
    say_app_options(m, app);
    if (app->env.n_set)
        word(m, "env");
    for (int i = 0; i < app->env.n_set; i++)
        append(m, &m->c->argv, &m->c->n, PM_env_entry(&app->env.set[i]));
    say_argv(m, app);
}

/* A word in a file for srun --multi-prog. */
static void program_word(Maker *m, FILE *file, const char *text)
{
    if (strpbrk(text, "'\n\r\\%")) /* %t and %o stand for numbers there */
        complain(m,
                 "several programs cannot be handed over to srun if a word has one of ' \\ %% or "
                 "a newline, came \"%.60s\"",
                 text);
    fprintf(file, " '%s'", text);
}

static void program_line(Maker *m, FILE *file, const PM_app *app, int first)
{
    fprintf(file, app->n > 1 ? "%d-%d" : "%d", first, first + app->n - 1);
    refuse_env_rules(m, app);
    if (app->wdir || app->env.n_set)
        fprintf(file, " env");
    if (app->wdir) {
        fprintf(file, " -C");
        program_word(m, file, app->wdir);
    }
    for (int i = 0; i < app->env.n_set; i++) {
        char *entry = PM_env_entry(&app->env.set[i]);
        program_word(m, file, entry ? entry : "");
        free(entry);
    }
    for (char **a = app->argv; *a; a++)
        program_word(m, file, *a);
    fputc('\n', file);
}

/* srun has a file for several programs. */
static void say_programs(Maker *m)
{
    char path[32];
    size_t size;
    FILE *file = open_memstream(&m->c->programs, &size);

    if (!file) {
        complain(m, "out of memory");
        return;
    }
    for (int i = 0, first = 0; i < m->o->n_apps; first += m->o->app[i++].n)
        program_line(m, file, &m->o->app[i], first);
    fclose(file);
    say_number(m, "-n", m->s->n, m->o->n_ranks);
    word(m, "--multi-prog");
    snprintf(path, sizeof(path), "/dev/fd/%d", PM_PROGRAMS_FD);
    word(m, path);
}

static void say_all_apps(Maker *m)
{
    if (!m->s->colon) {
        if (m->o->n_apps == 1)
            say_only_app(m, &m->o->app[0]);
        else
            say_programs(m);
        return;
    }
    for (int i = 0; i < m->o->n_apps; i++) {
        if (i > 0)
            word(m, ":");
        say_app(m, &m->o->app[i]);
    }
}

bool PM_handover_command(const PM_options *o, const PM_choice *choice, PM_command *command,
                         char *error, size_t size)
{
    Maker m = {
        .o = o, .s = choice->speech, .c = command, .error = error, .size = size, .good = true
    };

    *command = (PM_command) { 0 };
    word(&m, choice->program);
    if (m.s->pmi && !choice->slurm_mpi)
        word(&m, m.s->pmi);
    say_globals(&m);
    say_all_apps(&m);
    return m.good;
}

void PM_command_free(PM_command *command)
{
    for (int i = 0; i < command->n; i++)
        free(command->argv[i]);
    for (int i = 0; i < command->n_env; i++)
        free(command->env[i]);
    free(command->argv);
    free(command->env);
    free(command->programs);
    *command = (PM_command) { 0 };
}

/* ---- for people ------------------------------------------------------------------------------ */

typedef struct Text {
    char *text;
    size_t size, used;
} Text;

static void add(Text *t, const char *piece, size_t len)
{
    len = MPL_MIN(len, t->size - 1 - t->used);
    memcpy(t->text + t->used, piece, len);
    t->used += len;
    t->text[t->used] = '\0';
}

static void add_quoted(Text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+:,./@%";

    if (*word && word[strspn(word, plain)] == '\0') {
        add(t, word, strlen(word));
        return;
    }
    add(t, "'", 1);
    for (; *word; word++) {
        if (*word == '\'')
            add(t, "'\\''", 4);
        else
            add(t, word, 1);
    }
    add(t, "'", 1);
}

void PM_command_show(const PM_command *command, char *text, size_t size)
{
    Text t = { .text = text, .size = size };

    text[0] = '\0';
    for (int i = 0; i < command->n_env; i++) {
        add_quoted(&t, command->env[i]);
        add(&t, " ", 1);
    }
    for (int i = 0; i < command->n; i++) {
        if (i > 0)
            add(&t, " ", 1);
        add_quoted(&t, command->argv[i]);
    }
    if (command->programs) {
        char fd[16];
        snprintf(fd, sizeof(fd), " %d<<<", PM_PROGRAMS_FD);
        add(&t, fd, strlen(fd));
        add_quoted(&t, command->programs);
    }
}
