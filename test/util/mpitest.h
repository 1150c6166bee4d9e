/* What every test program includes: counting errors, the line ` No Errors`, and reading back a CVAR.
 *
 * The convention needs no communication, so it serves programs that use sessions only and programs whose
 * ranks never meet: each process counts its own errors and shows them on stderr; main ends with
 * `return MTest_report(rank)`. Rank 0 then prints ` No Errors` if it has none; another rank with errors
 * makes the launcher's exit code non-zero. test/runtests looks at both.
 */
#ifndef MPITEST_H_INCLUDED
#define MPITEST_H_INCLUDED

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MTEST_UNUSED __attribute__((unused))

/* Errors of this process; lives with the process. Add to it from one thread only, or use MTEST_ERROR. */
static int MTest_errs;

/* Count an error and say where and what; at most 20 are shown. Safe in threads. `failed` is the text of a
 * condition that does not hold, or NULL. */
__attribute__((format(printf, 4, 5), unused))
static void MTest_failed(const char *file, int line, const char *failed, const char *format, ...)
{
    if (__atomic_add_fetch(&MTest_errs, 1, __ATOMIC_RELAXED) > 20)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (failed != NULL)
        fprintf(stderr, "%s:%d: not so: %s: %s\n", file, line, failed, text);
    else
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
}

#define MTEST_ERROR(...) MTest_failed(__FILE__, __LINE__, NULL, __VA_ARGS__)

/* Count an error unless `cond` holds; the rest is a printf format that shows the values. */
#define MTEST_CHECK(cond, ...)                                                                     \
    do {                                                                                           \
        if (!(cond))                                                                               \
            MTest_failed(__FILE__, __LINE__, #cond, __VA_ARGS__);                                  \
    } while (0)

#define MTEST_INT_EQ(got, expected)                                                                \
    do {                                                                                           \
        long long got_ = (long long) (got), expected_ = (long long) (expected);                    \
        if (got_ != expected_)                                                                     \
            MTEST_ERROR("%s is %lld, expected %lld", #got, got_, expected_);                          \
    } while (0)

#define MTEST_STR_EQ(got, expected)                                                                \
    do {                                                                                           \
        const char *got_s_ = (got), *expected_s_ = (expected);                                     \
        if (strcmp(got_s_, expected_s_) != 0)                                                      \
            MTEST_ERROR("%s is \"%s\", expected \"%s\"", #got, got_s_, expected_s_);                  \
    } while (0)

/* An MPI call that must succeed (meaningful where errors return). */
#define MTEST_MPI(call) MTest_expect_success(__FILE__, __LINE__, #call, (call))

/* An MPI call that must fail with this error class. */
#define MTEST_FAILS(call, errclass) MTest_expect_class(__FILE__, __LINE__, #call, (call), (errclass))

MTEST_UNUSED static void MTest_expect_success(const char *file, int line, const char *call, int code)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    MTest_failed(file, line, NULL, "%s failed: %s", call, text);
}

MTEST_UNUSED static void MTest_expect_class(const char *file, int line, const char *call, int code,
                                            int expected)
{
    int errclass = MPI_SUCCESS;
    char text[MPI_MAX_ERROR_STRING] = "success";
    int length;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &errclass);
        MPI_Error_string(code, text, &length);
    }
    if (errclass != expected)
        MTest_failed(file, line, NULL, "%s gave error class %d (%s), expected class %d", call,
                     errclass, text, expected);
}

/* ---- control variables ----------------------------------------------------------------------- */

/* The value of an int (or bool) control variable as the library sees it; counts an error and returns -1
 * if there is none of this name. May be called before, in, between and after epochs. */
MTEST_UNUSED static int MTest_cvar_int(const char *name)
{
    int provided, value = -1, count = 0, index = -1;
    MPI_T_cvar_handle handle;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        MTEST_ERROR("MPI_T_init_thread failed");
        return -1;
    }
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        MTEST_ERROR("there is no control variable %s", name);
    else if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        MTEST_ERROR("MPI_T_cvar_handle_alloc failed for %s", name);
    else {
        if (count != 1 || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS)
            MTEST_ERROR("MPI_T_cvar_read failed for %s (count %d)", name, count);
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return value;
}

/* Do control variables make this machine look like several? (test/netmod/locality.c checks how.) */
MTEST_UNUSED static int MTest_looks_like_several(void)
{
    return MTest_cvar_int("MPIR_CVAR_NOLOCAL") || MTest_cvar_int("MPIR_CVAR_NUM_CLIQUES") > 1
        || MTest_cvar_int("MPIR_CVAR_ODD_EVEN_CLIQUES");
}

/* A test that sets a misspelt variable tests nothing: the 0 or 1 that the environment asks for must be
 * what the library has. (Other values are set to see them refused.) */
MTEST_UNUSED static void MTest_check_cvar(const char *name)
{
    const char *asked = getenv(name);
    if (asked != NULL && (strcmp(asked, "0") == 0 || strcmp(asked, "1") == 0))
        MTEST_CHECK(MTest_cvar_int(name) == atoi(asked), "%s=%s in the environment has no effect",
                    name, asked);
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* The world model: MPI_Init, errors return, rank and size of MPI_COMM_WORLD. */
MTEST_UNUSED static void MTest_init_world(int *argc, char ***argv, int *rank, int *size)
{
    MPI_Init(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

/* A session whose errors return. */
MTEST_UNUSED static MPI_Session MTest_session(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MTEST_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    return session;
}

/* A communicator over process set `pset` of a session; its errors return. */
MTEST_UNUSED static MPI_Comm MTest_session_comm(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MTEST_MPI(MPI_Group_from_session_pset(session, pset, &group));
    MTEST_MPI(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    MTEST_MPI(MPI_Group_free(&group));
    return comm;
}

/* Call at the end of main, after the last finalize, as `return MTest_report(rank)`: prints ` No Errors`
 * on rank 0 if there were none here; the result is the exit code. A process that has no rank in the job
 * (or must keep quiet) passes -1. */
MTEST_UNUSED static int MTest_report(int rank)
{
    MTest_check_cvar("MPIR_CVAR_FINALIZE_ATEXIT");
    int errs = __atomic_load_n(&MTest_errs, __ATOMIC_RELAXED);
    if (errs != 0)
        fprintf(stderr, "rank %d: found %d errors\n", rank, errs);
    else if (rank == 0)
        printf(" No Errors\n");
    fflush(stdout);
    return errs != 0;
}

#endif /* MPITEST_H_INCLUDED */
