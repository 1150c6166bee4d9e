/* What may be called at any time: before, between and after epochs, and from 8 threads at once while the main thread opens and
 * closes sessions. */
#include <pthread.h>

#include "ring.h"

static void session_handler(MPI_Session *s, int *code, ...)
{
    (void) s;
    (void) code;
}

static void infos(int seed)
{
    MPI_Info a, b;
    char key[32], value[32], nth[MPI_MAX_INFO_KEY];
    int n = 0, flag = 0, len = sizeof(value);
    MTEST_MPI(MPI_Info_create(&a));
    snprintf(key, sizeof(key), "key%d", seed);
    MTEST_MPI(MPI_Info_set(a, key, "v"));
    MTEST_MPI(MPI_Info_set(a, "second", "w"));
    MTEST_MPI(MPI_Info_dup(a, &b));
    MTEST_MPI(MPI_Info_delete(a, "second"));
    MTEST_MPI(MPI_Info_get_nkeys(a, &n));
    MTEST_INT_EQ(n, 1);
    MTEST_MPI(MPI_Info_get_nthkey(b, 0, nth));
    MTEST_STR_EQ(nth, key);
    MTEST_MPI(MPI_Info_get_string(b, "second", &len, value, &flag));
    MTEST_INT_EQ(flag, 1);
    MTEST_CHECK(MPI_Info_f2c(MPI_Info_c2f(a)) == a, "f2c of c2f");
    MTEST_MPI(MPI_Info_free(&a));
    MTEST_MPI(MPI_Info_free(&b));
    MTEST_MPI(MPI_Info_create_env(0, NULL, &a));
    MTEST_MPI(MPI_Info_free(&a));
}

static void errors(void)
{
    MPI_Errhandler eh;
    char text[MPI_MAX_ERROR_STRING];
    int errclass, code, len, got;
    MTEST_MPI(MPI_Session_create_errhandler(session_handler, &eh));
    MTEST_CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(eh)) == eh, "f2c of c2f");
    MTEST_MPI(MPI_Errhandler_free(&eh));
    MTEST_MPI(MPI_Error_string(MPI_ERR_TRUNCATE, text, &len));
    MTEST_CHECK(len > 0, "no text");
    MTEST_MPI(MPI_Error_class(MPI_ERR_TAG, &got));
    MTEST_INT_EQ(got, MPI_ERR_TAG);
    MTEST_MPI(MPI_Add_error_class(&errclass));
    MTEST_MPI(MPI_Add_error_code(errclass, &code));
    MTEST_MPI(MPI_Add_error_string(code, "mine"));
    MTEST_MPI(MPI_Error_string(code, text, &len));
    MTEST_STR_EQ(text, "mine");
    MTEST_MPI(MPI_Remove_error_string(code));
    MTEST_MPI(MPI_Remove_error_code(code));
    MTEST_MPI(MPI_Remove_error_class(errclass));
}

static void questions(void)
{
    int a, b;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MTEST_MPI(MPI_Initialized(&a));
    MTEST_MPI(MPI_Finalized(&b));
    MTEST_MPI(MPI_Get_version(&a, &b));
    MTEST_INT_EQ(a, 5);
    MTEST_MPI(MPI_Get_library_version(text, &a));
    MTEST_CHECK(strstr(text, "Perennial") != NULL, "%s", text);
    MTEST_MPI(MPI_Abi_get_version(&a, &b));
}

static void all(int seed)
{
    infos(seed);
    errors();
    questions();
    MTEST_INT_EQ(MTest_cvar_int("MPIR_CVAR_DEBUG_INIT"), 0);
}

static void *thread(void *arg)
{
    for (int i = 0; i < 200; i++)
        all((int) (size_t) arg);
    return NULL;
}

int main(void)
{
    pthread_t t[8];
    all(100); /* before */
    for (size_t i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, thread, (void *) i);
    int rank = -1;
    for (int i = 0; i < 50; i++)
        rank = ring_epoch("always", i);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    all(200); /* between */
    ring_epoch("always", 1);
    MPI_Init(NULL, NULL);
    all(300);
    MPI_Finalize();
    all(400); /* after */
    return MTest_report(rank);
}
