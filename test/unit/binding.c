/* Wrong arguments: each call gives the standard's error class and a text that names the call, the argument, what it
 * was and what was expected; the object's own error handler gets it. */
#include <stdlib.h>

#include "mpi.h"
#include "mpir_err.h"
#include "mpir_errhandler.h"
#include "utest.h"

static struct {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int handled; /* calls of count_errors */
} t;

static void count_errors(MPI_Comm *comm, int *code, ...)
{
    (void) comm;
    (void) code;
    t.handled++;
}

/* One argument wrong: the class, and words that the text must have. */
static void check_error(const char *call, int code, int class_expected, const char *name, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class_got = -1, length;
    if (code == MPI_SUCCESS) {
        UT_FAIL("%s succeeds, expected class %d", call, class_expected);
        return;
    }
    MPI_Error_class(code, &class_got);
    MPI_Error_string(code, text, &length);
    if (class_got != class_expected)
        UT_FAIL("%s: class %d, expected %d (%s)", call, class_got, class_expected, text);
    if (!strstr(text, name) || !strstr(text, what))
        UT_FAIL("%s: \"%s\" does not say \"%s\" and \"%s\"", call, text, name, what);
}

#define BAD(call, class_, name, what) check_error(#call, call, class_, name, what)

static void calls_outside_of_an_epoch_say_so(void)
{
    int n;
    MPI_Request req = MPI_REQUEST_NULL;
    BAD(MPI_Comm_size(MPI_COMM_WORLD, &n), MPI_ERR_OTHER, "MPI_Comm_size(comm=MPI_COMM_WORLD", "not initialized");
    BAD(MPI_Wait(&req, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "status=MPI_STATUS_IGNORE", "not initialized");
    BAD(MPI_Comm_free(NULL), MPI_ERR_OTHER, "comm=NULL", "not initialized");
}

static void calls_of_any_time_check_their_arguments(void)
{
    int n;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Status status;
    BAD(MPI_Get_version(NULL, &n), MPI_ERR_ARG, "Argument version is NULL", "MPI_Get_version(version=NULL");
    BAD(MPI_Info_set(info, "k", "v"), MPI_ERR_INFO, "info=MPI_INFO_NULL", "key=\"k\"");
    BAD(MPI_Info_free(&info), MPI_ERR_INFO, "info", "the null handle");
    BAD(MPI_Info_create(NULL), MPI_ERR_ARG, "MPI_Info_create(info=NULL)", "valid address");
    BAD(MPI_Session_finalize(&t.session), MPI_ERR_SESSION, "session", "expected an open session");
    BAD(MPI_Status_set_tag(MPI_STATUS_IGNORE, 3), MPI_ERR_ARG, "tag=3", "status");
    status.MPI_TAG = 5;
    UT_INT_EQ(MPI_Status_get_tag(&status, &n), MPI_SUCCESS);
    UT_INT_EQ(n, 5);
    UT_INT_EQ(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
}

static void open_session(void)
{
    BAD(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG, "MPI_Session_init(",
        "errhandler=MPI_ERRORS_RETURN");
    BAD(MPI_Session_init(0x12345, MPI_ERRORS_RETURN, &t.session), MPI_ERR_INFO, "info=0x00012345",
        "expected an info object");
    UT_INT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &t.session), MPI_SUCCESS);
    UT_INT_EQ(MPI_Group_from_session_pset(t.session, "mpi://SELF", &t.group), MPI_SUCCESS);
    UT_INT_EQ(MPI_Comm_create_from_group(t.group, "unit", MPI_INFO_NULL, MPI_ERRORS_RETURN, &t.comm),
              MPI_SUCCESS);
}

static void messages_are_checked(void)
{
    int v = 0;
    MPI_Comm c = t.comm;
    MPI_Datatype row;
    BAD(MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM, "comm=MPI_COMM_NULL", "null handle");
    BAD(MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COMM, "comm=MPI_COMM_WORLD", "not in use");
    BAD(MPI_Send(&v, 1, MPI_INT, 7, 0, c), MPI_ERR_RANK, "dest=7", "0..0 or MPI_PROC_NULL");
    BAD(MPI_Send(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, c), MPI_ERR_RANK, "dest=MPI_ANY_SOURCE", "0..0");
    BAD(MPI_Send(&v, 1, MPI_INT, 0, MPI_ANY_TAG, c), MPI_ERR_TAG, "tag=MPI_ANY_TAG", "0 or more");
    BAD(MPI_Send(&v, -1, MPI_INT, 0, 0, c), MPI_ERR_COUNT, "count=-1", "0 or more");
    BAD(MPI_Send_c(&v, -1, MPI_INT, 0, 0, c), MPI_ERR_COUNT, "MPI_Send_c(", "count=-1");
    BAD(MPI_Send(&v, 1, MPI_DATATYPE_NULL, 0, 0, c), MPI_ERR_TYPE, "datatype=MPI_DATATYPE_NULL", "null handle");
    BAD(MPI_Send(&v, 1, 0x4cffffff, 0, 0, c), MPI_ERR_TYPE, "datatype=0x4cffffff", "expected a datatype");
    BAD(MPI_Send(NULL, 1, MPI_INT, 0, 0, c), MPI_ERR_BUFFER, "buf=NULL", "1 items");
    BAD(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, c), MPI_ERR_BUFFER, "buf=MPI_IN_PLACE", "address of a buffer");
    BAD(MPI_Recv(&v, 1, MPI_INT, -7, 0, c, MPI_STATUS_IGNORE), MPI_ERR_RANK, "source=-7", "MPI_ANY_SOURCE");
    BAD(MPI_Recv(&v, 1, MPI_INT, 0, -7, c, MPI_STATUS_IGNORE), MPI_ERR_TAG, "tag=-7", "MPI_ANY_TAG");
    BAD(MPI_Recv(&v, 1, MPI_INT, 0, 0, c, NULL), MPI_ERR_ARG, "status=NULL", "valid address");
    BAD(MPI_Isend(&v, 1, MPI_INT, 0, 0, c, NULL), MPI_ERR_ARG, "request=NULL", "valid address");
    UT_INT_EQ(MPI_Type_contiguous(2, MPI_INT, &row), MPI_SUCCESS);
    BAD(MPI_Send(&v, 1, row, 0, 0, c), MPI_ERR_TYPE, "datatype=0x", "not committed");
    UT_INT_EQ(MPI_Type_free(&row), MPI_SUCCESS);
    UT_INT_EQ(row, MPI_DATATYPE_NULL);
    UT_INT_EQ(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, c), MPI_SUCCESS);
}

static void requests_are_checked(void)
{
    MPI_Request r[2] = { MPI_REQUEST_NULL, 0x2c000001 };
    int n;
    BAD(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG, "request=NULL", "valid address");
    BAD(MPI_Wait(&r[1], MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "0x2c000001", "expected a request");
    BAD(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "array_of_requests[1]", "0x2c000001");
    BAD(MPI_Waitall(-1, r, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, "count=-1", "0 or more");
    BAD(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "array_of_requests=NULL", "valid address");
    BAD(MPI_Request_free(&r[0]), MPI_ERR_REQUEST, "request", "null handle");
    BAD(MPI_Cancel(&r[0]), MPI_ERR_REQUEST, "request", "null handle");
    BAD(MPI_Test(&r[0], NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG, "flag=NULL", "valid address");
    UT_INT_EQ(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    UT_INT_EQ(MPI_Test(&r[0], &n, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void collectives_are_checked(void)
{
    int v = 0, w = 0;
    MPI_Comm c = t.comm;
    BAD(MPI_Bcast(&v, 1, MPI_INT, 3, c), MPI_ERR_ROOT, "root=3", "0..0");
    BAD(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, c), MPI_ERR_BUFFER, "buffer", "MPI_IN_PLACE");
    BAD(MPI_Allreduce(&v, &v, 1, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER, "sendbuf and recvbuf", "two buffers");
    BAD(MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_OP_NULL, c), MPI_ERR_OP, "op=MPI_OP_NULL", "null handle");
    BAD(MPI_Allreduce(&v, &w, 1, MPI_DOUBLE, MPI_BAND, c), MPI_ERR_OP, "op=MPI_BAND", "MPI_DOUBLE");
    BAD(MPI_Gather(&v, 1, MPI_INT, NULL, 1, MPI_INT, 0, c), MPI_ERR_BUFFER, "recvbuf=NULL", "1 items");
    BAD(MPI_Ibarrier(c, NULL), MPI_ERR_ARG, "MPI_Ibarrier(", "request=NULL");
    BAD(MPI_Op_create(NULL, 1, &v), MPI_ERR_ARG, "user_fn", "valid address");
    UT_INT_EQ(MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
}

static void types_and_groups_are_checked(void)
{
    int len[2] = { 1, -1 }, place[2] = { 0, 4 };
    MPI_Count len_c[2] = { 1, -1 };
    MPI_Datatype d;
    MPI_Group g;
    BAD(MPI_Type_contiguous(-1, MPI_INT, &d), MPI_ERR_COUNT, "count=-1", "0 or more");
    BAD(MPI_Type_indexed(2, len, place, MPI_INT, &d), MPI_ERR_COUNT, "array_of_blocklengths[1] is -1", "");
    BAD(MPI_Type_create_indexed_block_c(1, -2, len_c, MPI_INT, &d), MPI_ERR_COUNT, "blocklength=-2", "");
    BAD(MPI_Type_indexed(1, NULL, place, MPI_INT, &d), MPI_ERR_ARG, "array_of_blocklengths", "NULL");
    BAD(MPI_Type_size(MPI_DATATYPE_NULL, len), MPI_ERR_TYPE, "datatype=MPI_DATATYPE_NULL", "null handle");
    BAD(MPI_Group_size(MPI_GROUP_NULL, len), MPI_ERR_GROUP, "group=MPI_GROUP_NULL", "null handle");
    BAD(MPI_Group_incl(t.group, -1, place, &g), MPI_ERR_ARG, "n=-1", "0 or more");
    BAD(MPI_Comm_free(NULL), MPI_ERR_ARG, "comm=NULL", "valid address");
    BAD(MPI_Comm_set_name(t.comm, NULL), MPI_ERR_ARG, "comm_name=NULL", "valid address");
    BAD(MPI_Comm_set_errhandler(t.comm, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL", "");
}

static void counts_that_do_not_fit_are_undefined(void)
{
    MPI_Datatype d;
    int small = 0, n[4];
    MPI_Count large = 0, c[4];
    UT_INT_EQ(MPI_Type_contiguous_c((MPI_Count) 1 << 32, MPI_INT, &d), MPI_SUCCESS);
    UT_INT_EQ(MPI_Type_size(d, &small), MPI_SUCCESS);
    UT_INT_EQ(small, MPI_UNDEFINED);
    UT_INT_EQ(MPI_Type_size_c(d, &large), MPI_SUCCESS);
    UT_INT_EQ(large, (MPI_Count) 1 << 34);
    BAD(MPI_Type_get_envelope(d, &n[0], &n[1], &n[2], &n[3]), MPI_ERR_TYPE, "MPI_Type_get_envelope(", "_c form");
    UT_INT_EQ(MPI_Type_get_envelope_c(d, &c[0], &c[1], &c[2], &c[3], &n[0]), MPI_SUCCESS);
    UT_INT_EQ(n[0], MPI_COMBINER_CONTIGUOUS);
    UT_INT_EQ(MPI_Type_free(&d), MPI_SUCCESS);
}

static void tags_of_groups_are_limited(void)
{
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    MPI_Comm c;
    memset(tag, 'x', sizeof(tag) - 1);
    tag[sizeof(tag) - 1] = '\0';
    BAD(MPI_Comm_create_from_group(t.group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c), MPI_ERR_ARG,
        "stringtag", "255 characters");
    BAD(MPI_Comm_create_from_group(t.group, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c), MPI_ERR_ARG,
        "stringtag=NULL", "valid address");
}

static void the_handler_of_the_object_is_called(void)
{
    MPI_Errhandler eh;
    int v = 0;
    UT_INT_EQ(MPI_Comm_create_errhandler(count_errors, &eh), MPI_SUCCESS);
    UT_INT_EQ(MPI_Comm_set_errhandler(t.comm, eh), MPI_SUCCESS);
    UT_INT_EQ(MPI_Errhandler_free(&eh), MPI_SUCCESS);
    UT_INT_EQ(MPI_Comm_set_name(t.comm, "mine"), MPI_SUCCESS);
    BAD(MPI_Send(&v, -1, MPI_INT, 0, 0, t.comm), MPI_ERR_COUNT, "\"mine\"", "count=-1");
    UT_INT_EQ(t.handled, 1);
    BAD(MPI_Bcast(&v, 1, MPI_INT, 9, t.comm), MPI_ERR_ROOT, "root=9", "");
    UT_INT_EQ(t.handled, 2);
}

static void close_session(void)
{
    UT_INT_EQ(MPI_Comm_free(&t.comm), MPI_SUCCESS);
    UT_INT_EQ(t.comm, MPI_COMM_NULL);
    UT_INT_EQ(MPI_Group_free(&t.group), MPI_SUCCESS);
    UT_INT_EQ(MPI_Session_finalize(&t.session), MPI_SUCCESS);
    UT_INT_EQ(t.session, MPI_SESSION_NULL);
    BAD(MPI_Comm_free(&t.comm), MPI_ERR_OTHER, "MPI_Comm_free(", "left it by MPI_Session_finalize");
}

int main(void)
{
    t.session = MPI_SESSION_NULL;
    MPIR_Errhandler_set_initial("mpi_errors_return");
    UT_RUN(calls_outside_of_an_epoch_say_so);
    UT_RUN(calls_of_any_time_check_their_arguments);
    UT_RUN(open_session);
    UT_RUN(messages_are_checked);
    UT_RUN(requests_are_checked);
    UT_RUN(collectives_are_checked);
    UT_RUN(types_and_groups_are_checked);
    UT_RUN(counts_that_do_not_fit_are_undefined);
    UT_RUN(tags_of_groups_are_limited);
    UT_RUN(the_handler_of_the_object_is_called);
    UT_RUN(close_session);
    return UT_REPORT();
}
