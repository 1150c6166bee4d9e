/* src/mpi/errhan: codes and their texts, the user's classes and codes, handlers and which of them runs. */
#include "mpir_comm.h"
#include "mpir_errhandler.h"
#include "mpir_group.h"
#include "mpir_impl.h"
#include "mpir_process.h"
#include "mpir_session.h"
#include "utest.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *text_of(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    MPIR_Err_text(code, text, sizeof(text));
    return text;
}

#define CHECK_TEXT(code, part)                                                                     \
    do {                                                                                           \
        const char *text_ = text_of(code);                                                         \
        if (!strstr(text_, part))                                                                  \
            UT_FAIL("text is \"%s\", expected \"%s\" in it", text_, part);                         \
    } while (0)

/* ---- codes ----------------------------------------------------------------------------------- */

static void a_code_has_class_and_text(void)
{
    int code = MPIR_Err("**nomem", (size_t) 12345);

    UT_INT_EQ(MPIR_Err_class(code), MPI_ERR_NO_MEM);
    UT_CHECK(code > MPI_ERR_ABI && code <= MPI_ERR_LASTCODE);
    UT_STR_EQ(text_of(code), "Out of memory: 12345 bytes could not be allocated");
    UT_INT_EQ(MPIR_Err_class(MPIR_Err("**atexit")), MPI_ERR_OTHER);
    int intern = MPIR_Err("**no_such_key");
    UT_INT_EQ(MPIR_Err_class(intern), MPI_ERR_INTERN);
    CHECK_TEXT(intern, "**no_such_key");
}

static void every_class_has_a_text(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int len, class;

    for (int c = MPI_SUCCESS; c <= MPI_ERR_ABI; c++) {
        if (c == 54) /* the ABI left a hole */
            continue;
        UT_INT_EQ(MPIR_Error_string_impl(c, text, &len), MPI_SUCCESS);
        UT_CHECK(len > 5 && (size_t) len == strlen(text));
        UT_INT_EQ(MPIR_Error_class_impl(c, &class), MPI_SUCCESS);
        UT_INT_EQ(class, c);
    }
}

static void bad_codes_are_refused(void)
{
    static const int bad[] = { -1, 54, 82, 127, 128 << 8, 0x40000000, 0x7fffffff, -2147483647 - 1 };
    char text[MPI_MAX_ERROR_STRING] = "old";
    int len = 77, class = 77;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        UT_INT_EQ(MPIR_Err_class(MPIR_Error_string_impl(bad[i], text, &len)), MPI_ERR_ARG);
        UT_INT_EQ(MPIR_Err_class(MPIR_Error_class_impl(bad[i], &class)), MPI_ERR_ARG);
        UT_INT_EQ(MPIR_Err_class(bad[i]), MPI_ERR_UNKNOWN);
        CHECK_TEXT(bad[i], "Unknown error code");
    }
    UT_STR_EQ(text, "old");
    UT_INT_EQ(len, 77);
    UT_INT_EQ(class, 77);
}

static void old_messages_fall_back_to_the_class(void)
{
    int first = MPIR_Err("**errcode", 4711), last = 0;

    CHECK_TEXT(first, "4711");
    for (int i = 0; i < 256; i++) {
        last = MPIR_Err("**errcode", i);
        UT_CHECK(last != first);
    }
    UT_STR_EQ(text_of(first), "Invalid argument of another kind");
    UT_INT_EQ(MPIR_Err_class(first), MPI_ERR_ARG);
    CHECK_TEXT(last, "255");
    for (int i = 0; i < 256 * 300; i++)
        last = MPIR_Err("**errcode", i);
    UT_CHECK(last > 0 && last <= MPI_ERR_LASTCODE);
}

static void texts_are_cut(void)
{
    char name[2000], text[10];

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    int code = MPIR_Err("**errhandler_name", name);
    UT_INT_EQ(strlen(text_of(code)), MPI_MAX_ERROR_STRING - 1);
    MPIR_Err_text(code, text, sizeof(text));
    UT_STR_EQ(text, "Unknown i");
    MPIR_Err_text(code, text, 0);
}

/* ---- the user's ------------------------------------------------------------------------------- */

static void user_classes_and_codes(void)
{
    int before = MPIR_Err_last_used_code(), class = 0, code = 0, code2 = 0, got = 0, len = 77;
    char text[MPI_MAX_ERROR_STRING];

    UT_CHECK(before >= MPI_ERR_LASTCODE);
    UT_INT_EQ(MPIR_Add_error_class_impl(&class), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Add_error_code_impl(class, &code), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Add_error_code_impl(MPI_ERR_RANK, &code2), MPI_SUCCESS);
    UT_CHECK(class > before && code > class && code2 > code);
    UT_INT_EQ(MPIR_Err_last_used_code(), code2);
    UT_INT_EQ(MPIR_Error_class_impl(class, &got), MPI_SUCCESS);
    UT_INT_EQ(got, class);
    UT_INT_EQ(MPIR_Error_class_impl(code, &got), MPI_SUCCESS);
    UT_INT_EQ(got, class);
    UT_INT_EQ(MPIR_Error_class_impl(code2, &got), MPI_SUCCESS);
    UT_INT_EQ(got, MPI_ERR_RANK);

    UT_INT_EQ(MPIR_Error_string_impl(code, text, &len), MPI_SUCCESS);
    UT_INT_EQ(len, 0);
    UT_INT_EQ(MPIR_Add_error_string_impl(code, "first"), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Add_error_string_impl(code, "the disk is on fire"), MPI_SUCCESS);
    UT_STR_EQ(text_of(code), "the disk is on fire");

    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_class_impl(class)), MPI_ERR_ARG); /* has a code */
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_code_impl(code)), MPI_ERR_ARG);   /* has a string */
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_code_impl(class)), MPI_ERR_ARG);  /* is a class */
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_class_impl(code)), MPI_ERR_ARG);  /* is a code */
    UT_INT_EQ(MPIR_Remove_error_string_impl(code), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_string_impl(code)), MPI_ERR_ARG); /* has none now */
    UT_INT_EQ(MPIR_Remove_error_code_impl(code), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_code_impl(code)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Remove_error_class_impl(class), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Remove_error_code_impl(code2), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Err_class(MPIR_Error_class_impl(class, &got)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_last_used_code(), code2);
}

static void predefined_codes_are_not_the_user_s(void)
{
    char text[600];
    int code = MPIR_Err("**atexit"), class, out = 77;

    UT_INT_EQ(MPIR_Err_class(MPIR_Add_error_string_impl(MPI_ERR_RANK, "x")), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_string_impl(code)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_class_impl(MPI_ERR_RANK)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Remove_error_code_impl(code)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Add_error_code_impl(code, &out)), MPI_ERR_ARG); /* no class */
    UT_INT_EQ(MPIR_Err_class(MPIR_Add_error_code_impl(MPI_SUCCESS, &out)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Add_error_code_impl(-1, &out)), MPI_ERR_ARG);
    UT_INT_EQ(out, 77);

    UT_INT_EQ(MPIR_Add_error_class_impl(&class), MPI_SUCCESS);
    memset(text, 'x', sizeof(text));
    text[MPI_MAX_ERROR_STRING] = '\0';
    UT_INT_EQ(MPIR_Err_class(MPIR_Add_error_string_impl(class, text)), MPI_ERR_ARG);
    text[MPI_MAX_ERROR_STRING - 1] = '\0';
    UT_INT_EQ(MPIR_Add_error_string_impl(class, text), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Remove_error_class_impl(class), MPI_SUCCESS); /* its string goes with it */
}

/* ---- handlers -------------------------------------------------------------------------------- */

static struct {
    int calls, handle, code;
} seen;

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    seen.calls++;
    seen.handle = *comm;
    seen.code = *code;
}

static void on_session(MPI_Session *session, int *code, ...)
{
    seen.calls++;
    seen.handle = *session;
    seen.code = *code;
}

static MPIR_Errhandler *predefined(int index)
{
    return &MPIR_Errhandler_builtin[index];
}

static void a_user_s_handler_runs(void)
{
    MPIR_Comm comm = { .obj = { 0x44000077, 1 }, .errhandler = predefined(MPIR_ERRORS_RETURN) };
    MPIR_Errhandler *eh, *got;
    size_t before = MPIR_Errhandler_pool.in_use;
    int code = MPIR_Err("**errcode", 12);

    UT_INT_EQ(MPIR_Comm_create_errhandler_impl(on_comm, &eh), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Comm_set_errhandler_impl(&comm, eh), MPI_SUCCESS);
    int handle = eh->obj.handle;
    UT_CHECK(MPIR_Errhandler_get(handle) == eh);
    UT_INT_EQ(MPIR_Errhandler_free_impl(eh), MPI_SUCCESS);
    UT_CHECK(MPIR_Errhandler_get(handle) == eh); /* still attached */

    seen.calls = 0;
    UT_INT_EQ(MPIR_Err_return_comm(&comm, "MPI_Send(buf=0x1, count=2)", code), code);
    UT_INT_EQ(seen.calls, 1);
    UT_INT_EQ(seen.handle, 0x44000077);
    UT_INT_EQ(seen.code, code);
    CHECK_TEXT(code, "MPI_Send(buf=0x1, count=2): Invalid error code 12");
    UT_INT_EQ(MPIR_Comm_call_errhandler_impl(&comm, MPI_ERR_TAG), MPI_SUCCESS);
    UT_INT_EQ(seen.calls, 2);
    UT_INT_EQ(seen.code, MPI_ERR_TAG);

    UT_INT_EQ(MPIR_Comm_get_errhandler_impl(&comm, &got), MPI_SUCCESS);
    UT_CHECK(got == eh);
    UT_INT_EQ(MPIR_Comm_set_errhandler_impl(&comm, predefined(MPIR_ERRORS_RETURN)), MPI_SUCCESS);
    UT_CHECK(MPIR_Errhandler_get(handle) == eh);
    UT_INT_EQ(MPIR_Errhandler_free_impl(got), MPI_SUCCESS);
    UT_CHECK(MPIR_Errhandler_get(handle) == NULL);
    UT_INT_EQ(MPIR_Errhandler_pool.in_use, before);
}

static void groups_and_sessions(void)
{
    MPIR_Errhandler *eh;
    UT_INT_EQ(MPIR_Session_create_errhandler_impl(on_session, &eh), MPI_SUCCESS);
    MPIR_Session session = { .obj = { 0x38000001, 1 },
                             .open = true,
                             .errhandler = predefined(MPIR_ERRORS_RETURN) };
    MPIR_Group group = { .session = &session };
    MPIR_Comm comm = { .errhandler = predefined(MPIR_ERRORS_RETURN) };

    UT_INT_EQ(MPIR_Session_set_errhandler_impl(&session, eh), MPI_SUCCESS);
    seen.calls = 0;
    MPIR_Err_return_group(&group, "MPI_Group_incl(...)", MPI_ERR_RANK);
    UT_INT_EQ(seen.calls, 1);
    UT_INT_EQ(seen.handle, 0x38000001);
    MPIR_Err_return_session(&session, "MPI_Session_get_info(...)", MPI_ERR_ARG);
    UT_INT_EQ(seen.calls, 2);
    MPIR_Errhandler_call_session(eh, NULL, MPI_ERR_ARG); /* a failed MPI_Session_init */
    UT_INT_EQ(seen.handle, MPI_SESSION_NULL);
    UT_INT_EQ(MPIR_Session_call_errhandler_impl(&session, MPI_ERR_ARG), MPI_SUCCESS);
    UT_INT_EQ(seen.calls, 4);

    int rc = MPIR_Comm_set_errhandler_impl(&comm, eh); /* of the wrong kind */
    UT_INT_EQ(MPIR_Err_class(rc), MPI_ERR_ARG);
    CHECK_TEXT(rc, "made for a session: expected one for a communicator");
    UT_CHECK(comm.errhandler == predefined(MPIR_ERRORS_RETURN));
    MPIR_Session_set_errhandler_impl(&session, predefined(MPIR_ERRORS_RETURN));
    MPIR_Errhandler_free_impl(eh);
    UT_INT_EQ(MPIR_Err_class(MPIR_Comm_create_errhandler_impl(NULL, &eh)), MPI_ERR_ARG);
}

static void predefined_handlers_are_never_freed(void)
{
    for (int i = 0; i < 4; i++) {
        MPIR_Errhandler_free_impl(predefined(i));
        MPIR_Errhandler_free_impl(predefined(i));
        UT_CHECK(MPIR_Errhandler_get(0x54000000 + i) == predefined(i));
    }
    UT_CHECK(MPIR_Errhandler_get(0x54000004) == NULL);
    MPIR_Errhandler_release(NULL);
}

static void long_calls_are_cut_not_messages(void)
{
    MPIR_Comm comm = { .errhandler = predefined(MPIR_ERRORS_RETURN) };
    char where[700];
    int code = MPIR_Err("**errcode", 815);

    memset(where, 'w', sizeof(where) - 1);
    where[sizeof(where) - 1] = '\0';
    MPIR_Err_return_comm(&comm, where, code);
    UT_INT_EQ(strlen(text_of(code)), MPI_MAX_ERROR_STRING - 1);
    CHECK_TEXT(code, "www...): Invalid error code 815");
    MPIR_Err_return_comm(&comm, "MPI_Wait(...)", code); /* the first place stays */
    CHECK_TEXT(code, "www...): Invalid error code 815");
}

/* ---- handlers that end the process ----------------------------------------------------------- */

typedef struct Ended {
    int exit_code; /* -1: killed */
    char output[4096];
} Ended;

/* Run `act` in a child and catch what it says. */
static Ended end_by(void (*act)(void))
{
    Ended e = { .exit_code = -1 };
    int out[2], status;

    UT_INT_EQ(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        act();
        _exit(0);
    }
    close(out[1]);
    size_t len = 0;
    ssize_t n;
    while ((n = read(out[0], e.output + len, sizeof(e.output) - 1 - len)) > 0)
        len += (size_t) n;
    close(out[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
        e.exit_code = WEXITSTATUS(status);
    return e;
}

static void check_ended(void (*act)(void), int exit_code, const char *part)
{
    Ended e = end_by(act);

    UT_INT_EQ(e.exit_code, exit_code);
    if (!strstr(e.output, part))
        UT_FAIL("output is \"%s\", expected \"%s\" in it", e.output, part);
}

static MPIR_Comm doomed = { .name = "my_comm" };

static void fail_on_comm(void)
{
    doomed.errhandler = predefined(MPIR_ERRORS_ARE_FATAL);
    MPIR_Err_return_comm(&doomed, "MPI_Recv(source=9)", MPIR_Err("**errcode", 99));
}

static void abort_on_comm(void)
{
    doomed.errhandler = predefined(MPIR_ERRORS_ABORT);
    MPIR_Err_return_comm(&doomed, "MPI_Recv(source=9)", MPI_ERR_RANK);
}

static void abort_on_session(void)
{
    MPIR_Session session = { .errhandler = predefined(MPIR_ERRORS_ABORT) };
    MPIR_Err_return_session(&session, "MPI_Session_get_info(...)", MPI_ERR_ARG);
}

static void fail_with_success(void)
{
    MPIR_Errhandler_call_comm(predefined(MPIR_ERRORS_ARE_FATAL), &doomed, MPI_SUCCESS);
}

static void fail_in_world(void)
{
    MPIR_Comm_builtin[MPIR_COMM_SELF_INDEX].errhandler = predefined(MPIR_ERRORS_RETURN);
    MPIR_Process.world = MPIR_WORLD_ACTIVE;
    int code = MPIR_Err("**errcode", 5);
    _exit(MPIR_Err_return_comm(NULL, "MPI_Error_class(...)", code) == code ? 33 : 34);
}

static void fail_by_initial(void)
{
    MPIR_Err_return_group(NULL, "MPI_Info_set(...)", MPI_ERR_INFO);
}

static void return_by_initial(void)
{
    int rc = MPIR_Errhandler_set_initial("MPI_Errors_Return");
    _exit(rc == MPI_SUCCESS && MPIR_Err_return_session(NULL, "x", MPI_ERR_INFO) == MPI_ERR_INFO
              ? 35
              : 36);
}

static void return_by_launcher(void)
{
    setenv("PERENNIAL_INITIAL_ERRHANDLER", "mpi_errors_return", 1);
    _exit(MPIR_Err_return_comm(NULL, "x", MPI_ERR_INFO) == MPI_ERR_INFO ? 37 : 38);
}

static void misled_by_launcher(void)
{
    setenv("PERENNIAL_INITIAL_ERRHANDLER", "mpi_errors_ignore", 1);
    MPIR_Err_return_comm(NULL, "x", MPI_ERR_INFO);
}

static void be_broken(void)
{
    MPIR_Fatal("the wheel %d came off", 3);
}

static void fatal_errors(void)
{
    unsetenv("PERENNIAL_INITIAL_ERRHANDLER");
    check_ended(fail_on_comm, MPI_ERR_ARG,
                "fatal error in MPI_Recv(source=9): Invalid error code 99: ");
    check_ended(fail_on_comm, MPI_ERR_ARG, "the error handler of my_comm is MPI_ERRORS_ARE_FATAL");
    check_ended(abort_on_comm, MPI_ERR_RANK, "fatal error in MPI_Recv(source=9): Invalid rank\n");
    check_ended(abort_on_session, MPI_ERR_ARG, "session is MPI_ERRORS_ABORT; this process ends");
    check_ended(fail_with_success, MPI_ERR_OTHER, "No error");
    check_ended(be_broken, MPI_ERR_INTERN, "the wheel 3 came off");
}

static void errors_without_an_object(void)
{
    check_ended(fail_in_world, 33, "");
    check_ended(fail_by_initial, MPI_ERR_INFO,
                "fatal error in MPI_Info_set(...): Invalid info object\n");
    check_ended(return_by_initial, 35, "");
    check_ended(return_by_launcher, 37, "");
    check_ended(misled_by_launcher, MPI_ERR_INFO,
                "\"mpi_errors_ignore\" from the launcher is unknown");
    int rc = MPIR_Errhandler_set_initial("mpi_errors_are_fun");
    UT_INT_EQ(MPIR_Err_class(rc), MPI_ERR_ARG);
    CHECK_TEXT(rc, "\"mpi_errors_are_fun\"");
}

static void warn_twice(void)
{
    MPIR_Warn("one %s", "two");
    MPIR_Process.rank = 3;
    MPIR_Process.state = MPIR_STATE_ACTIVE;
    MPIR_Warn("three");
    _exit(0);
}

static void warnings(void)
{
    check_ended(warn_twice, 0, ": one two\nperennial: rank 3: three\n");
}

int main(void)
{
    UT_RUN(a_code_has_class_and_text);
    UT_RUN(every_class_has_a_text);
    UT_RUN(bad_codes_are_refused);
    UT_RUN(old_messages_fall_back_to_the_class);
    UT_RUN(texts_are_cut);
    UT_RUN(user_classes_and_codes);
    UT_RUN(predefined_codes_are_not_the_user_s);
    UT_RUN(a_user_s_handler_runs);
    UT_RUN(groups_and_sessions);
    UT_RUN(predefined_handlers_are_never_freed);
    UT_RUN(long_calls_are_cut_not_messages);
    UT_RUN(fatal_errors);
    UT_RUN(errors_without_an_object);
    UT_RUN(warnings);
    return UT_REPORT();
}
