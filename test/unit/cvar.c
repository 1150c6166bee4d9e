/* src/util/cvar.c: the environment sets variables, and what cannot be used is reported once. The variables are those of
 * the library, whichever there are; each case runs in a child, since they are read once in the life of a process. */
#include "mpir_cvar.h"
#include "utest.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Let a child do `act` and return what it writes to stderr; its exit code must be 0. */
static const char *output_of(void (*act)(void))
{
    static char output[8192];
    int out[2], status;
    size_t len = 0;
    ssize_t n;

    UT_INT_EQ(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        ut_state.failures = 0;
        act();
        _exit(ut_state.failures == 0 ? 0 : 1);
    }
    close(out[1]);
    while ((n = read(out[0], output + len, sizeof(output) - 1 - len)) > 0)
        len += (size_t) n;
    output[len] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    if (status != 0)
        UT_FAIL("child ended with status %d, saying: %s", status, output);
    return output;
}

static void check_says(const char *output, const char *part)
{
    if (!strstr(output, part))
        UT_FAIL("output is \"%s\", expected \"%s\" in it", output, part);
}

static const MPIR_Cvar *first_of(MPIR_Cvar_type type)
{
    for (int i = 0; i < MPIR_cvar_count; i++) {
        if (MPIR_cvar_table[i]->type == type)
            return MPIR_cvar_table[i];
    }
    return NULL;
}

static void the_table_is_sorted_and_described(void)
{
    UT_CHECK(MPIR_cvar_count > 0 && MPIR_cvar_table[MPIR_cvar_count] == NULL);
    for (int i = 0; i < MPIR_cvar_count; i++) {
        const MPIR_Cvar *c = MPIR_cvar_table[i];
        UT_CHECK(strncmp(c->name, "MPIR_CVAR_", 10) == 0 && c->value && c->help[0]);
        UT_CHECK(i == 0 || strcmp(MPIR_cvar_table[i - 1]->name, c->name) < 0);
        if (c->type == MPIR_CVAR_TYPE_INT)
            UT_CHECK(*(int *) c->value >= c->low && *(int *) c->value <= c->high);
    }
}

/* ---- good values ----------------------------------------------------------------------------- */

static void use_good_values(void)
{
    const MPIR_Cvar *number = first_of(MPIR_CVAR_TYPE_INT), *flag = first_of(MPIR_CVAR_TYPE_BOOL);
    char text[32];

    if (number) {
        snprintf(text, sizeof(text), "%lld", number->high);
        setenv(number->name, text, 1);
    }
    setenv(flag->name, "YES", 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
    if (number)
        UT_INT_EQ(*(int *) number->value, number->high);
    UT_INT_EQ(*(int *) flag->value, 1);
    setenv(flag->name, "0", 1);
    MPIR_Cvar_init(); /* only once */
    UT_INT_EQ(*(int *) flag->value, 1);
}

static void good_values_serve(void)
{
    UT_STR_EQ(output_of(use_good_values), "");
}

static const char *bool_word;
static int bool_value;

static void use_bool_word(void)
{
    const MPIR_Cvar *flag = first_of(MPIR_CVAR_TYPE_BOOL);

    *(int *) flag->value = !bool_value; /* the default */
    setenv(flag->name, bool_word, 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
    UT_INT_EQ(*(int *) flag->value, bool_value);
}

static void booleans_have_many_words(void)
{
    static const char *const words[] = { "0", "1", "no", "yes", "False", "True", "OFF", "on" };

    for (int i = 0; i < 8; i++) {
        bool_word = words[i];
        bool_value = i % 2;
        UT_STR_EQ(output_of(use_bool_word), "");
    }
}

/* ---- bad values ------------------------------------------------------------------------------ */

static void use_bad_bool(void)
{
    const MPIR_Cvar *flag = first_of(MPIR_CVAR_TYPE_BOOL);
    int before = *(int *) flag->value;

    setenv(flag->name, "maybe", 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
    MPIR_Cvar_report();
    UT_INT_EQ(*(int *) flag->value, before);
}

static void use_bad_int(void)
{
    const MPIR_Cvar *number = first_of(MPIR_CVAR_TYPE_INT);
    int before = *(int *) number->value;
    char text[32];

    snprintf(text, sizeof(text), "%lld", number->high + 1);
    setenv(number->name, text, 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
    UT_INT_EQ(*(int *) number->value, before);
}

static void bad_values_are_reported_once(void)
{
    const char *said = output_of(use_bad_bool), *first = strstr(said, "\"maybe\"");

    check_says(said, first_of(MPIR_CVAR_TYPE_BOOL)->name);
    check_says(said, "expected a boolean");
    UT_CHECK(first && !strstr(first + 1, "\"maybe\""));
    if (first_of(MPIR_CVAR_TYPE_INT))
        check_says(output_of(use_bad_int), "expected an integer of ");
}

/* A string variable of our own would be no part of the generated table, so one of the library's serves. */
static const MPIR_Cvar *with_choices(void)
{
    for (int i = 0; i < MPIR_cvar_count; i++) {
        if (MPIR_cvar_table[i]->choices)
            return MPIR_cvar_table[i];
    }
    return NULL;
}

static void use_bad_choice(void)
{
    const char *before = *(const char **) with_choices()->value;

    setenv(with_choices()->name, "no such choice", 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
    UT_CHECK(*(const char **) with_choices()->value == before);
}

static void use_good_choice(void)
{
    const char *choices = with_choices()->choices, *last = strrchr(choices, '|');

    last = last ? last + 1 : choices;
    setenv(with_choices()->name, last, 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
    UT_STR_EQ(*(const char **) with_choices()->value, last);
}

static void choices_are_checked(void)
{
    if (!with_choices())
        return;
    const char *said = output_of(use_bad_choice);
    check_says(said, "expected one of ");
    check_says(said, "\"no such choice\"");
    UT_STR_EQ(output_of(use_good_choice), "");
}

/* ---- unknown names --------------------------------------------------------------------------- */

static void use_misspelt_name(void)
{
    char name[128];

    snprintf(name, sizeof(name), "%s", MPIR_cvar_table[0]->name);
    name[strlen(name) - 2] = 'Q';
    setenv(name, "1", 1);
    MPIR_Cvar_init();
    MPIR_Cvar_report();
}

static void use_strange_environment(void)
{
    static char longer[5000], *strange[] = { "MPIR_CVAR_", "MPIR_CVAR_=", "=", "", longer, NULL };

    memset(longer, 'X', sizeof(longer) - 1);
    memcpy(longer, "MPIR_CVAR_", 10);
    environ = strange;
    MPIR_Cvar_init();
    MPIR_Cvar_report();
}

static void unknown_names_are_reported(void)
{
    const char *said = output_of(use_misspelt_name);
    char hint[160];

    snprintf(hint, sizeof(hint), "did you mean %s?", MPIR_cvar_table[0]->name);
    check_says(said, "is no control variable and has no effect");
    check_says(said, hint);
    check_says(output_of(use_strange_environment), "MPIR_CVAR_XXXXXXX");
}

static void clear_environment(void)
{
    for (int i = 0; i < MPIR_cvar_count; i++)
        unsetenv(MPIR_cvar_table[i]->name);
}

int main(void)
{
    clear_environment();
    UT_RUN(the_table_is_sorted_and_described);
    UT_RUN(good_values_serve);
    UT_RUN(booleans_have_many_words);
    UT_RUN(bad_values_are_reported_once);
    UT_RUN(choices_are_checked);
    UT_RUN(unknown_names_are_reported);
    return UT_REPORT();
}
