/* mpiexec's options in the words of other launchers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/pm/mpiexec/handover.h"
#include "mpl.h"
#include "pm_words.h"
#include "utest.h"

static const char *installed; /* "srun mpiexec.hydra": what is in PATH */

static bool there(const char *program)
{
    size_t n = strlen(program);

    for (const char *p = strstr(installed, program); p; p = strstr(p + 1, program)) {
        if ((p == installed || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    }
    return false;
}

static const PM_surroundings outside = { .there = there };
static const PM_surroundings in_slurm = { .slurm = true, .there = there };

/* The command for words that are separated by '|'; "local" if the ranks are started here, or the error. */
static const char *translate(const char *words, const PM_surroundings *here)
{
    static char text[2000], error[600];
    char **argv;
    int argc = pm_words(words, &argv);
    PM_options o;
    PM_choice choice;
    PM_command command = { 0 };

    const char *result = text;
    if (PM_options_parse(argc, argv, &o, error, sizeof(error)) != PM_RUN)
        result = error;
    else if (!PM_handover_wanted(&o, here))
        result = "local";
    else if (!PM_handover_choose(&o, here, &choice, error, sizeof(error)) ||
             !PM_handover_command(&o, &choice, &command, error, sizeof(error)))
        result = error;
    else
        PM_command_show(&command, text, sizeof(text));
    PM_command_free(&command);
    PM_options_free(&o);
    return result;
}

static void when(void)
{
    char host[256] = "", words[300];

    gethostname(host, sizeof(host) - 1);
    installed = "srun mpiexec.hydra prterun orterun";
    UT_STR_EQ(translate("-n|2|a", &outside), "local");
    UT_STR_EQ(translate("-hosts|localhost:4|-n|2|a", &outside), "local");
    snprintf(words, sizeof(words), "-host|%s|a", host);
    UT_STR_EQ(translate(words, &outside), "local");
    UT_STR_EQ(translate("-hosts|h1|-launcher|local|a", &outside), "local");
    UT_STR_EQ(translate("-n|2|-launcher|fork|a", &in_slurm), "local");
    UT_STR_EQ(translate("-n|2|a", &in_slurm), "srun --mpi=pmi2 --input=0 -n 2 a");
    UT_STR_EQ(translate("-launcher|hydra|a", &outside), "mpiexec.hydra a");
}

static void to_whom(void)
{
    installed = "srun mpiexec.hydra prterun orterun";
    UT_STR_EQ(translate("-hosts|h1|a", &outside), "mpiexec.hydra -hosts h1 a");
    UT_STR_EQ(translate("-hosts|h1|a", &in_slurm), "srun --mpi=pmi2 --nodelist=h1 --input=0 a");
    UT_STR_EQ(translate("-hosts|h1|-launcher|mpirun|a", &in_slurm), "orterun --host h1 a");
    installed = "prterun mpirun.openmpi";
    UT_STR_EQ(translate("-hosts|h1|a", &outside), "prterun --host h1 a");
    UT_STR_EQ(translate("-hosts|h1|-launcher|openmpi|a", &outside), "mpirun.openmpi --host h1 a");
    UT_STR_EQ(translate("-n|1|a", &in_slurm), "prterun -n 1 a");
    installed = "srun"; /* of no use outside its allocation */
    UT_CHECK(strstr(translate("-hosts|h1|a", &outside), "came none of them"));
    UT_CHECK(strstr(translate("-hosts|h1|-launcher|hydra|a", &outside), "-launcher hydra"));
    UT_CHECK(strstr(translate("-hosts|h1|-launcher|lamboot|a", &outside), "expected local, srun"));
}

static void all_options(void)
{
    static const char words[] = "-hosts|h1:2,h2|-ppn|2|-l|-exitinfo|-stdin|all|-timeout|9|-bind-to|core|-map-by|socket|"
                                "-genv|A|1 2|-pset|x=0|-initial-errhandler|mpi_errors_return|-n|3|-wdir|/w d|-env|B|b|p|x y";

    installed = "mpiexec.hydra";
    UT_STR_EQ(translate(words, &outside),
              "MPIEXEC_TIMEOUT=9 mpiexec.hydra -hosts h1:2,h2 -ppn 2 -l -print-all-exitcodes -s all "
              "-bind-to core -map-by socket -genv A '1 2' -genv PERENNIAL_PSETS x=0 "
              "-genv PERENNIAL_INITIAL_ERRHANDLER mpi_errors_return -n 3 -wdir '/w d' -env B b p 'x y'");
    installed = "prterun";
    UT_STR_EQ(translate(words, &outside),
              "prterun --host h1:2,h2 --map-by ppr:2:node --output tag --stdin all --timeout 9 --bind-to core "
              "--map-by socket -x 'A=1 2' -x PERENNIAL_PSETS=x=0 "
              "-x PERENNIAL_INITIAL_ERRHANDLER=mpi_errors_return -n 3 --wdir '/w d' -x B=b p 'x y'");
    installed = "srun";
    UT_CHECK(strstr(translate(words, &in_slurm), "-timeout: cannot be said to srun"));
    UT_STR_EQ(translate("-hosts|h1:2,h2|-l|-stdin|none|-bind-to|numa|-genv|A|1|-n|3|-wdir|/w|-env|B|b|p|x", &in_slurm),
              "A=1 srun --mpi=pmi2 --nodelist=h1,h2 --label --input=none --cpu-bind=ldoms -n 3 --chdir=/w env B=b p x");
    UT_STR_EQ(translate("-bind-to|user:0,2|-genvlist|A,B|p", &in_slurm),
              "srun --mpi=pmi2 --input=0 --cpu-bind=map_cpu:0,2 --export=A,B p");
    const PM_surroundings knows = { .slurm = true, .slurm_mpi = true, .there = there };
    UT_STR_EQ(translate("p", &knows), "srun --input=0 p");
}

static void several_programs(void)
{
    installed = "mpiexec.hydra";
    UT_STR_EQ(translate("-hosts|h1|-n|2|a|:|b|x", &outside), "mpiexec.hydra -hosts h1 -n 2 a : -n 1 b x");
    installed = "srun";
    UT_STR_EQ(translate("-n|2|a|:|-wdir|/w|-env|B|b c|b|x", &in_slurm),
              "srun --mpi=pmi2 --input=0 -n 3 --multi-prog /dev/fd/9 "
              "9<<<'0-1 '\\''a'\\''\n2 env -C '\\''/w'\\'' '\\''B=b c'\\'' '\\''b'\\'' '\\''x'\\''\n'");
    UT_CHECK(strstr(translate("a|%t|:|b", &in_slurm), "%t"));
}

/* A host file with this one line. */
static const char *with_line(const char *line)
{
    static char name[] = "hosts.XXXXXX", words[200];
    char path[sizeof(name)];

    memcpy(path, name, sizeof(name));
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fprintf(file, "%s\n", line);
    fclose(file);
    installed = "mpiexec.hydra";
    snprintf(words, sizeof(words), "-f|%s|a", path);
    const char *result = translate(words, &outside);
    unlink(path);
    return result;
}

static void malformed_hosts(void)
{
    static const char *const wrong[] = { "h1:", "h1:0", "h1:x", "h1 slots=", "h1 slots=two", "h1:1 slots=2", ":3",
                                         "h1 max_slots=4", "h1 slots=2 slots=3", "h1 h2", "h1,h2" };
    char words[100], large[700];

    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++) {
        UT_CHECK(strstr(with_line(wrong[i]), "expected lines of the form HOST"));
        UT_CHECK(strstr(with_line(wrong[i]), wrong[i]));
    }
    UT_STR_EQ(with_line(" \th1\tslots=2 # two"), "mpiexec.hydra -hosts h1:2 a");
    memset(large, 'h', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    UT_CHECK(strstr(with_line(large), "expected lines of the form HOST"));
    static const char *const hosts[] = { "h1:", "h1:0", "h1:x", ":3", "h1:1:2", "h1:99999999999999999999" };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(hosts); i++) {
        snprintf(words, sizeof(words), "-hosts|h0,%s|a", hosts[i]);
        UT_CHECK(strstr(translate(words, &outside), "-hosts: expected HOST or HOST:N, came \"")
                 && strstr(translate(words, &outside), hosts[i]));
    }
}

static void host_files(void)
{
    char path[] = "hosts.XXXXXX", words[200];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");

    fputs("# ours\nh1:2\n\n  h2 # the second\nh3 slots=4\n", file);
    fclose(file);
    installed = "mpiexec.hydra orterun srun";
    snprintf(words, sizeof(words), "-f|%s|a", path);
    UT_STR_EQ(translate(words, &outside), "mpiexec.hydra -hosts h1:2,h2,h3:4 a");
    UT_STR_EQ(translate(words, &in_slurm), "srun --mpi=pmi2 --nodelist=h1,h2,h3 --input=0 a");
    file = fopen(path, "w");
    fputs("# nobody\n", file);
    fclose(file);
    UT_CHECK(strstr(translate(words, &outside), "a host on each line"));
    unlink(path);
    UT_CHECK(strstr(translate(words, &outside), "cannot be read"));
}

int main(void)
{
    UT_RUN(when);
    UT_RUN(to_whom);
    UT_RUN(all_options);
    UT_RUN(several_programs);
    UT_RUN(host_files);
    UT_RUN(malformed_hosts);
    return UT_REPORT();
}
