/* mpiexec's command line. */
#include <stdlib.h>
#include <unistd.h>

#include "../../src/pm/mpiexec/bind.h"
#include "../../src/pm/mpiexec/options.h"
#include "mpl.h"
#include "pm_words.h"
#include "utest.h"

static char error[600];

/* Parse words that are separated by '|'. */
static PM_action parse(const char *words, PM_options *o)
{
    char **argv;
    int argc = pm_words(words, &argv);

    error[0] = '\0';
    return PM_options_parse(argc, argv, o, error, sizeof(error));
}

static void plain(void)
{
    PM_options o;

    UT_INT_EQ(parse("-n|3|prog|-x|--|a", &o), PM_RUN);
    UT_INT_EQ(o.n_ranks, 3);
    UT_INT_EQ(o.n_apps, 1);
    UT_INT_EQ(o.stdin_to, 0);
    UT_STR_EQ(o.app[0].argv[0], "prog");
    UT_STR_EQ(o.app[0].argv[1], "-x");
    UT_STR_EQ(o.app[0].argv[3], "a");
    UT_CHECK(!o.app[0].argv[4]);
    PM_options_free(&o);
    UT_INT_EQ(parse("prog", &o), PM_RUN);
    UT_INT_EQ(o.n_ranks, 1);
    PM_options_free(&o);
    UT_INT_EQ(parse("--np|2|--|-prog", &o), PM_RUN);
    UT_STR_EQ(o.app[0].argv[0], "-prog");
    PM_options_free(&o);
}

static void several_programs(void)
{
    PM_options o;

    UT_INT_EQ(parse("-genv|A|1|-n|2|-env|B=2=3|-wdir|/x|a|:|-l|-n|3|-envnone|b|c|:|d", &o), PM_RUN);
    UT_INT_EQ(o.n_apps, 3);
    UT_INT_EQ(o.n_ranks, 6);
    UT_CHECK(o.label);
    UT_INT_EQ(o.env.n_set, 1);
    UT_INT_EQ(o.app[0].env.n_set, 1);
    UT_STR_EQ(o.app[0].env.set[0].value, "2=3");
    UT_STR_EQ(o.app[0].wdir, "/x");
    UT_CHECK(o.app[1].env.none && !o.app[1].wdir && !o.app[0].env.none);
    UT_INT_EQ(o.app[2].n, 1);
    PM_options_free(&o);
}

static void sets_and_others(void)
{
    PM_options o;

    UT_INT_EQ(parse("-pset|app://"
                    "a=0,2-3|-pset|b=1|-stdin|all|-timeout|0.5|-initial-errhandler|MPI_Errors_"
                    "Return|-n|4|p",
                    &o),
              PM_RUN);
    UT_STR_EQ(o.psets, "app://a=0,2-3;b=1");
    UT_STR_EQ(o.errhandler, "mpi_errors_return");
    UT_INT_EQ(o.stdin_to, PM_STDIN_ALL);
    UT_CHECK(o.timeout == 0.5);
    PM_options_free(&o);
    UT_INT_EQ(parse("-help", &o), PM_HELP);
    PM_options_free(&o);
    UT_INT_EQ(parse("--version", &o), PM_VERSION);
    PM_options_free(&o);
}

static void mistakes(void)
{
    static const struct {
        const char *words, *in_error;
    } wrong[] = {
        { "-n|0|p", "\"0\"" },
        { "-n|x|p", "\"x\"" },
        { "-n|-1|p", "\"-1\"" },
        { "-n|99999999|p", "99999999" },
        { "-n", "nothing" },
        { "-n|2", "program" },
        { "-l", "program" },
        { "p|:", "program" },
        { ":|p", "program" },
        { "p|:|:|p", "program" },
        { "p|:|-n|2", "program" },
        { "-timout|3|p", "-timeout" },
        { "-qqqqqqqqqq|p", "unknown option" },
        { "-stdin|x|p", "\"x\"" },
        { "-stdin|1|p", "from 0 to 0" },
        { "-timeout|0|p", "\"0\"" },
        { "-timeout|nan|p", "nan" },
        { "-timeout|1e|p", "1e" },
        { "-bind-to|cpu|p", "\"cpu\"" },
        { "-bind-to|user:|p", "user:" },
        { "-map-by|x|p", "\"x\"" },
        { "-initial-errhandler|none|p", "\"none\"" },
        { "-pset|a|p", "\"a\"" },
        { "-pset|=0|p", "\"=0\"" },
        { "-pset|a=1|p", "from 0" },
        { "-pset|a=0|-pset|a=0|p", "twice" },
        { "-pset|mpi://WORLD=0|p", "MPI's own" },
        { "-pset|mpi://mine=0|p", "MPI's own" },
        { "-pset|a;b=0|p", "a;b=0" },
        { "-env|A", "nothing" },
        { "-env|=x|p", "\"\"" },
        { "-genv||x|p", "\"\"" },
        { "-wdir||p", "directory" },
        { "-launcher|x|p", "srun" },
        { "-ppn|0|p", "\"0\"" },
        { "-configfile|/nonexistent|p", "/nonexistent" },
        { "-n|65536|p|:|-n|1|p", "in all" },
    };
    PM_options o;

    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++) {
        if (parse(wrong[i].words, &o) != PM_BAD || !strstr(error, wrong[i].in_error))
            UT_FAIL("%s: \"%s\", expected an error with \"%s\"", wrong[i].words, error,
                    wrong[i].in_error);
        PM_options_free(&o);
    }
}

static void config_files(void)
{
    char path[] = "/tmp/pm_options.XXXXXX", words[100];
    FILE *file = fdopen(mkstemp(path), "w");
    PM_options o;

    fputs("# two programs\n-n 2 \"a b\" 'c' \"\\\"\"\n\n  -n 1 -env X=1 d # more\n", file);
    fclose(file);
    snprintf(words, sizeof(words), "-l|-configfile|%s", path);
    UT_INT_EQ(parse(words, &o), PM_RUN);
    UT_INT_EQ(o.n_ranks, 3);
    UT_STR_EQ(o.app[0].argv[0], "a b");
    UT_STR_EQ(o.app[0].argv[2], "\"");
    UT_STR_EQ(o.app[1].argv[0], "d");
    UT_CHECK(!o.app[1].argv[1]);
    PM_options_free(&o);
    file = fopen(path, "w");
    fputs("p \"open\n", file);
    fclose(file);
    UT_INT_EQ(parse(words, &o), PM_BAD);
    UT_CHECK(strstr(error, "quote"));
    PM_options_free(&o);
    unlink(path);
}

static void binding_lists(void)
{
    PM_bind plan;
    char text[100], why[400];

    UT_CHECK(PM_bind_plan("user:0,2-3,1+70", NULL, &plan, why, sizeof(why)));
    UT_INT_EQ(plan.n, 3);
    UT_STR_EQ(PM_cpus_text(PM_bind_of(&plan, 1), text, sizeof(text)), "2-3");
    UT_STR_EQ(PM_cpus_text(PM_bind_of(&plan, 5), text, sizeof(text)), "1,70");
    PM_bind_free(&plan);
    static const char *const wrong[] = { "user:x",           "user:1,",   "user:,1",    "user:3-1",
                                         "user:99999999999", "user:1++2", "user:0-9000" };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++) {
        UT_CHECK(!PM_bind_plan(wrong[i], NULL, &plan, why, sizeof(why)));
        PM_bind_free(&plan);
    }
    UT_CHECK(PM_bind_plan("none", NULL, &plan, why, sizeof(why)) && plan.n == 0 &&
             !PM_bind_of(&plan, 0));
}

int main(void)
{
    UT_RUN(plain);
    UT_RUN(several_programs);
    UT_RUN(sets_and_others);
    UT_RUN(mistakes);
    UT_RUN(config_files);
    UT_RUN(binding_lists);
    return UT_REPORT();
}
