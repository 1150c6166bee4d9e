/* src/mpi/info: order, lengths, truncation, and what the process tells about itself. */
#include "mpir_err.h"
#include "mpir_impl.h"
#include "mpir_info.h"
#include "mpir_process.h"
#include "utest.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#define CHECK_CLASS(call, class) UT_INT_EQ(MPIR_Err_class(call), class)

static MPIR_Info *new_info(void)
{
    MPIR_Info *info = NULL;
    UT_INT_EQ(MPIR_Info_create_impl(&info), MPI_SUCCESS);
    return info;
}

static void check_key(MPIR_Info *info, int n, const char *expected)
{
    char key[MPI_MAX_INFO_KEY] = "";
    UT_INT_EQ(MPIR_Info_get_nthkey_impl(info, n, key), MPI_SUCCESS);
    UT_STR_EQ(key, expected);
}

static void keys_keep_their_order(void)
{
    MPIR_Info *info = new_info();
    char key[MPI_MAX_INFO_KEY] = "old";
    int n = 77;

    UT_CHECK(MPIR_Info_get(info->obj.handle) == info);
    UT_INT_EQ(MPIR_Info_get_nkeys_impl(info, &n), MPI_SUCCESS);
    UT_INT_EQ(n, 0);
    UT_INT_EQ(MPIR_Info_set_impl(info, "b", "1"), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Info_set_impl(info, "a", "2"), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Info_set_impl(info, "c", ""), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Info_set_impl(info, "b", "3"), MPI_SUCCESS); /* stays the first */
    MPIR_Info_get_nkeys_impl(info, &n);
    UT_INT_EQ(n, 3);
    check_key(info, 0, "b");
    check_key(info, 2, "c");
    UT_STR_EQ(MPIR_Info_lookup(info, "b"), "3");
    UT_STR_EQ(MPIR_Info_lookup(info, "c"), "");
    UT_CHECK(MPIR_Info_lookup(info, "B") == NULL);
    CHECK_CLASS(MPIR_Info_get_nthkey_impl(info, 3, key), MPI_ERR_ARG);
    CHECK_CLASS(MPIR_Info_get_nthkey_impl(info, -1, key), MPI_ERR_ARG);
    UT_STR_EQ(key, "old");
    UT_INT_EQ(MPIR_Info_delete_impl(info, "a"), MPI_SUCCESS);
    CHECK_CLASS(MPIR_Info_delete_impl(info, "a"), MPI_ERR_INFO_NOKEY);
    check_key(info, 1, "c");
    UT_INT_EQ(MPIR_Info_delete_impl(info, "b"), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Info_delete_impl(info, "c"), MPI_SUCCESS);
    int handle = info->obj.handle;
    UT_INT_EQ(MPIR_Info_free_impl(info), MPI_SUCCESS);
    UT_CHECK(MPIR_Info_get(handle) == NULL);
}

static void values_are_cut_to_the_buffer(void)
{
    MPIR_Info *info = new_info();
    char value[8] = "zzzzzzz";
    int flag = 77, len = 4;

    MPIR_Info_set_impl(info, "key", "value");
    UT_INT_EQ(MPIR_Info_get_string_impl(info, "key", &len, value, &flag), MPI_SUCCESS);
    UT_INT_EQ(flag, 1);
    UT_INT_EQ(len, 6);
    UT_STR_EQ(value, "val");
    UT_INT_EQ(value[4], 'z');
    UT_INT_EQ(MPIR_Info_get_string_impl(info, "key", &len, value, &flag), MPI_SUCCESS);
    UT_STR_EQ(value, "value");
    len = 0;
    UT_INT_EQ(MPIR_Info_get_string_impl(info, "key", &len, NULL, &flag), MPI_SUCCESS);
    UT_INT_EQ(len, 6);
    len = 3;
    UT_INT_EQ(MPIR_Info_get_string_impl(info, "yek", &len, value, &flag), MPI_SUCCESS);
    UT_CHECK(flag == 0 && len == 3 && strcmp(value, "value") == 0);
    len = -1;
    CHECK_CLASS(MPIR_Info_get_string_impl(info, "key", &len, value, &flag), MPI_ERR_ARG);

    /* The old call counts without the zero. */
    UT_INT_EQ(MPIR_Info_get_impl(info, "key", 4, value, &flag), MPI_SUCCESS);
    UT_STR_EQ(value, "valu");
    UT_INT_EQ(MPIR_Info_get_impl(info, "key", 5, value, &flag), MPI_SUCCESS);
    UT_STR_EQ(value, "value");
    UT_INT_EQ(MPIR_Info_get_impl(info, "yek", INT_MAX, value, &flag), MPI_SUCCESS);
    UT_INT_EQ(flag, 0);
    UT_INT_EQ(MPIR_Info_get_valuelen_impl(info, "key", &len, &flag), MPI_SUCCESS);
    UT_CHECK(flag == 1 && len == 5);
    UT_INT_EQ(MPIR_Info_get_valuelen_impl(info, "yek", &len, &flag), MPI_SUCCESS);
    UT_CHECK(flag == 0 && len == 5);
    MPIR_Info_free_impl(info);
}

static void lengths_are_checked(void)
{
    static char text[MPI_MAX_INFO_VAL + 1];
    MPIR_Info *info = new_info();
    int flag = 0;

    memset(text, 'k', sizeof(text) - 1);
    text[MPI_MAX_INFO_KEY] = '\0';
    CHECK_CLASS(MPIR_Info_set_impl(info, text, "v"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIR_Info_get_impl(info, text, 1, text, &flag), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIR_Info_delete_impl(info, text), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIR_Info_set_impl(info, "", "v"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIR_Info_set_impl(info, NULL, "v"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIR_Info_set_impl(info, "k", NULL), MPI_ERR_INFO_VALUE);
    text[MPI_MAX_INFO_KEY] = 'k';
    CHECK_CLASS(MPIR_Info_set_impl(info, "k", text), MPI_ERR_INFO_VALUE);
    text[MPI_MAX_INFO_VAL - 1] = '\0';
    UT_INT_EQ(MPIR_Info_set_impl(info, "k", text), MPI_SUCCESS);
    UT_STR_EQ(MPIR_Info_lookup(info, "k"), text);
    text[MPI_MAX_INFO_KEY - 1] = '\0';
    UT_INT_EQ(MPIR_Info_set_impl(info, text, "v"), MPI_SUCCESS);
    check_key(info, 1, text);
    MPIR_Info_free_impl(info);
}

static void copies_are_independent(void)
{
    MPIR_Info *info = new_info(), *copy = NULL;
    char key[16], value[16];

    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "key%d", i);
        snprintf(value, sizeof(value), "%d", i * i);
        UT_INT_EQ(MPIR_Info_set_impl(info, key, value), MPI_SUCCESS);
    }
    UT_INT_EQ(MPIR_Info_dup_impl(info, &copy), MPI_SUCCESS);
    MPIR_Info_set_impl(info, "key7", "changed");
    MPIR_Info_free_impl(info);
    UT_INT_EQ(copy->n, 100);
    UT_STR_EQ(MPIR_Info_lookup(copy, "key7"), "49");
    check_key(copy, 99, "key99");
    MPIR_Info_free_impl(copy);
}

/* ---- the environment ------------------------------------------------------------------------- */

static void check_has(MPIR_Info *info, const char *key, const char *expected)
{
    const char *value = MPIR_Info_lookup(info, key);
    if (!value)
        UT_FAIL("%s is not set", key);
    else if (expected)
        UT_STR_EQ(value, expected);
}

static void the_process_tells_about_itself(void)
{
    char *argv[] = { "./program", "one", "two words", NULL };
    char host[256] = "", wdir[1024] = "";
    MPIR_Info *info = NULL;

    UT_INT_EQ(MPIR_Info_create_env_impl(3, argv, &info), MPI_SUCCESS);
    gethostname(host, sizeof(host) - 1);
    check_has(info, "command", "./program");
    check_has(info, "argv", "one two words");
    check_has(info, "host", host);
    check_has(info, "wdir", getcwd(wdir, sizeof(wdir)));
    check_has(info, "arch", NULL);
    check_has(info, "mpi_memory_alloc_kinds", "mpi,system");
    MPIR_Info_free_impl(info);
    UT_INT_EQ(MPIR_Info_create_env_impl(0, NULL, &info), MPI_SUCCESS);
#ifdef __linux__
    check_has(info, "command", NULL);
    UT_CHECK(strstr(MPIR_Info_lookup(info, "command"), "info") != NULL);
#endif
    MPIR_Info_free_impl(info);
}

static void long_command_lines_are_cut(void)
{
    static char longer[3000];
    char *argv[] = { "p", "short", longer, "after", NULL };
    MPIR_Info *info = NULL;

    memset(longer, 'l', sizeof(longer) - 1);
    UT_INT_EQ(MPIR_Info_create_env_impl(4, argv, &info), MPI_SUCCESS);
    check_has(info, "argv", "short ...");
    MPIR_Info_free_impl(info);
}

static void info_env_lives_with_the_world(void)
{
    char *argv[] = { "p", NULL };
    MPIR_Info *env = &MPIR_Info_builtin[1];

    for (int epoch = 0; epoch < 2; epoch++) {
        UT_CHECK(MPIR_Info_get(MPI_INFO_ENV) == NULL);
        UT_INT_EQ(MPIR_Info_open_env(1, argv), MPI_SUCCESS);
        UT_CHECK(MPIR_Info_get(MPI_INFO_ENV) == env);
        check_has(env, "command", "p");
        CHECK_CLASS(MPIR_Info_free_impl(env), MPI_ERR_INFO);
        MPIR_Info_close_env();
    }
    UT_CHECK(MPIR_Info_get(MPI_INFO_ENV) == NULL && env->n == 0);
    UT_CHECK(MPIR_Info_get(0x5c000000) == NULL && MPIR_Info_get(MPI_INFO_NULL) == NULL);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *use(void *arg)
{
    MPIR_Info *shared = arg, *own;
    char key[8] = "k";
    int flag, len;

    for (int i = 0; i < 500; i++) {
        key[1] = (char) ('a' + i % 7);
        MPIR_Info_set_impl(shared, key, "value");
        len = sizeof(key);
        char value[8];
        MPIR_Info_get_string_impl(shared, key, &len, value, &flag);
        if (MPIR_Info_dup_impl(shared, &own) == MPI_SUCCESS)
            MPIR_Info_free_impl(own);
    }
    return NULL;
}

static void threads_share_an_object(void)
{
    MPIR_Info *info = new_info();
    size_t before = MPIR_Info_pool.in_use;
    pthread_t thread[8];

    for (int i = 0; i < 8; i++)
        UT_INT_EQ(pthread_create(&thread[i], NULL, use, info), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    UT_INT_EQ(info->n, 7);
    UT_INT_EQ(MPIR_Info_pool.in_use, before);
    MPIR_Info_free_impl(info);
}

int main(void)
{
    UT_RUN(keys_keep_their_order);
    UT_RUN(values_are_cut_to_the_buffer);
    UT_RUN(lengths_are_checked);
    UT_RUN(copies_are_independent);
    UT_RUN(the_process_tells_about_itself);
    UT_RUN(long_command_lines_are_cut);
    UT_RUN(info_env_lives_with_the_world);
    UT_RUN(threads_share_an_object);
    return UT_REPORT();
}
