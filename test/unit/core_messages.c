/* Messages through the device core, both ends in one process: order, wildcards, truncation, cancel,
 * probe, synchronous mode, lack of room, oneself. */
#include "core_loopback.h"

static void order_is_kept(void)
{
    lb_reset(0, 0);
    int a = 1, b = 2, x = 0, y = 0;
    lb_end(lb_isend(&a, 4, 1, 5, MPID_STANDARD), NULL);
    lb_end(lb_isend(&b, 4, 1, 5, MPID_STANDARD), NULL);
    MPIR_Request *r1 = lb_irecv(&x, 4, 1, 5), *r2 = lb_irecv(&y, 4, 1, 5);
    lb_run();
    UT_INT_EQ(lb_end(r1, NULL) | lb_end(r2, NULL), 0);
    UT_INT_EQ(x, 1);
    UT_INT_EQ(y, 2);
}

static void unexpected_order_is_kept(void)
{
    lb_reset(0, 0);
    int v[3] = { 1, 2, 3 }, x = 0;
    for (int i = 0; i < 3; i++)
        lb_isend(&v[i], 4, 1, 10 + i, MPID_STANDARD);
    lb_run();
    MPI_Status st;
    MPID_Msg m = lb_msg(&x, 4, MPI_ANY_SOURCE, 12);
    UT_INT_EQ(MPID_Recv(&m, &st), 0);
    UT_INT_EQ(x, 3);
    m = lb_msg(&x, 4, MPI_ANY_SOURCE, MPI_ANY_TAG);
    UT_INT_EQ(MPID_Recv(&m, &st), 0);
    UT_INT_EQ(x, 1);
    UT_INT_EQ(st.MPI_TAG, 10);
    UT_INT_EQ(st.MPI_SOURCE, 1);
    UT_INT_EQ(MPIR_Status_count(&st), 4);
    m = lb_msg(&x, 4, 1, MPI_ANY_TAG);
    UT_INT_EQ(MPID_Recv(&m, &st), 0);
    UT_INT_EQ(x, 2);
}

static void truncation(void)
{
    lb_reset(0, 0);
    char a[8] = "abcdefg", x[4] = "", y[4] = "";
    MPIR_Request *r = lb_irecv(x, 3, 1, 1);
    lb_isend(a, 8, 1, 1, MPID_STANDARD);
    lb_isend(a, 8, 1, 2, MPID_STANDARD);
    lb_run();
    MPI_Status st;
    UT_INT_EQ(MPIR_Err_class(lb_end(r, &st)), MPI_ERR_TRUNCATE);
    UT_STR_EQ(x, "abc");
    UT_INT_EQ(MPIR_Status_count(&st), 3);
    MPID_Msg m = lb_msg(y, 3, 1, 2);
    UT_INT_EQ(MPIR_Err_class(MPID_Recv(&m, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
    UT_STR_EQ(y, "abc");
}

static void cancel(void)
{
    lb_reset(0, 0);
    int a = 7, x = 0, y = 0;
    MPIR_Request *r1 = lb_irecv(&x, 4, 1, 1), *r2 = lb_irecv(&y, 4, 1, 1);
    UT_INT_EQ(MPID_Cancel_recv(r1), 0);
    lb_isend(&a, 4, 1, 1, MPID_STANDARD);
    lb_run();
    UT_INT_EQ(MPID_Cancel_recv(r2), 0); /* too late */
    MPI_Status st;
    UT_INT_EQ(lb_end(r1, &st), 0);
    UT_INT_EQ(st.count_hi_and_cancelled & 1, 1);
    UT_INT_EQ(lb_end(r2, &st), 0);
    UT_INT_EQ(st.count_hi_and_cancelled & 1, 0);
    UT_INT_EQ(y, 7);
}

static void probe(void)
{
    lb_reset(0, 0);
    char a[2000] = { 0 }, x[2000];
    int flag = 1;
    MPI_Status st;
    MPID_Msg m = lb_msg(NULL, 0, MPI_ANY_SOURCE, 4);
    UT_INT_EQ(MPID_Iprobe(&m, &flag, &st), 0);
    UT_CHECK(!flag);
    MPIR_Request *s = lb_isend(a, 2000, 1, 4, MPID_STANDARD);
    UT_INT_EQ(MPID_Probe(&m, &st), 0);
    UT_INT_EQ(MPIR_Status_count(&st), 2000);
    UT_INT_EQ(st.MPI_SOURCE, 1);
    m = lb_msg(x, 2000, st.MPI_SOURCE, st.MPI_TAG);
    UT_INT_EQ(MPID_Recv(&m, &st), 0);
    lb_run();
    UT_INT_EQ(lb_end(s, NULL), 0);
}

static void synchronous(void)
{
    lb_reset(0, 0);
    int a = 3, x = 0;
    MPIR_Request *s1 = lb_isend(&a, 4, 1, 1, MPID_SYNC);
    lb_run();
    UT_CHECK(!MPIR_Request_is_complete(s1));
    MPIR_Request *r = lb_irecv(&x, 4, 1, 1);
    UT_INT_EQ(lb_end(r, NULL), 0);
    lb_run();
    UT_INT_EQ(lb_end(s1, NULL), 0);
    r = lb_irecv(&x, 4, 1, 2);
    s1 = lb_isend(&a, 4, 1, 2, MPID_SYNC);
    lb_run();
    UT_INT_EQ(lb_end(s1, NULL) | lb_end(r, NULL), 0);
    UT_INT_EQ(x, 3);
}

static void no_room_keeps_order(void)
{
    lb_reset(0, 0);
    enum { N = 50 };
    int v[N], x[N];
    MPIR_Request *s[N], *r[N];
    lb.room = 3;
    for (int i = 0; i < N; i++) {
        v[i] = 100 + i;
        s[i] = lb_isend(&v[i], 4, 1, 9, MPID_STANDARD);
        UT_CHECK((s[i] == NULL) == (i < 3));
    }
    UT_CHECK(MPID_Progress_poll());
    for (int i = 0; i < N; i++)
        r[i] = lb_irecv(&x[i], 4, 1, 9);
    UT_INT_EQ(MPID_Flush(), 0);
    lb_run();
    for (int i = 0; i < N; i++) {
        UT_INT_EQ(lb_end(s[i], NULL) | lb_end(r[i], NULL), 0);
        UT_INT_EQ(x[i], 100 + i);
    }
}

static void to_oneself(void)
{
    lb_reset(0, 0);
    static unsigned char big[200000], got[200000];
    lb_fill(big, sizeof big, 1);
    int a = 4, x = 0;
    lb_isend(&a, 4, 0, 1, MPID_STANDARD);
    MPIR_Request *r = lb_irecv(&x, 4, 0, 1), *s;
    UT_INT_EQ(lb_end(r, NULL), 0);
    UT_INT_EQ(x, 4);
    for (int before = 0; before < 2; before++) {
        memset(got, 0, sizeof got);
        r = before ? lb_irecv(got, sizeof got, 0, 2) : NULL;
        s = lb_isend(big, sizeof big, 0, 2, MPID_SYNC);
        if (!before) {
            UT_CHECK(!MPIR_Request_is_complete(s));
            r = lb_irecv(got, sizeof got, 0, 2);
        }
        UT_INT_EQ(lb_end(s, NULL) | lb_end(r, NULL), 0);
        UT_CHECK(memcmp(big, got, sizeof got) == 0);
    }
    s = lb_isend(&a, 4, 0, 3, MPID_SYNC);
    r = lb_irecv(&x, 4, 0, 3);
    UT_INT_EQ(lb_end(s, NULL) | lb_end(r, NULL), 0);
}

static void gone_peer(void)
{
    lb_reset(0, 0);
    int a = 1, x = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPIR_Request *r1 = lb_irecv(&x, 4, 1, 1), *r2 = lb_irecv(&x, 4, MPI_ANY_SOURCE, 2);
    lb_isend(&a, 4, 1, 1, MPID_STANDARD); /* its last words are still read */
    lb.gone = true;
    MPIDI_Gone_check();
    UT_INT_EQ(lb_end(r1, NULL), 0);
    UT_INT_EQ(x, 1);
    int err = lb_end(r2, NULL);
    MPIR_Err_text(err, text, sizeof text);
    UT_CHECK(strstr(text, "Rank 1 ") != NULL);
    MPIR_Request *s = NULL;
    MPID_Msg m = lb_msg(&a, 4, 1, 1);
    UT_CHECK(MPID_Isend(&m, &s) != MPI_SUCCESS);
    m = lb_msg(&x, 4, 1, 1);
    UT_CHECK(MPID_Recv(&m, MPI_STATUS_IGNORE) != MPI_SUCCESS); /* not for ever */
}

static void comm_free_drops_its_strays(void)
{
    lb_reset(0, 0);
    static char a[3000];
    MPIR_Comm other = lb_comm;
    other.ctx += 4;
    UT_INT_EQ(MPID_Comm_init(&other), 0);
    MPID_Msg m = lb_msg(a, 3000, 1, 1);
    m.comm = &other;
    MPIR_Request *s = NULL;
    UT_INT_EQ(MPID_Isend(&m, &s), 0);
    m.count = 4;
    MPIR_Request *none = NULL;
    UT_INT_EQ(MPID_Isend(&m, &none), 0);
    lb_isend(a, 4, 1, 1, MPID_STANDARD);
    lb_run();
    UT_INT_EQ(MPIDI_core.match.n_strays, 3);
    MPID_Comm_free(&other);
    UT_INT_EQ(MPIDI_core.match.n_strays, 1);
    lb_run();
    UT_INT_EQ(lb_end(s, NULL), 0); /* nobody can receive it: its sender is let go */
    UT_INT_EQ(lb_end(lb_irecv(a, 4, 1, 1), NULL), 0);
}

int main(void)
{
    lb_start();
    UT_RUN(order_is_kept);
    UT_RUN(unexpected_order_is_kept);
    UT_RUN(truncation);
    UT_RUN(cancel);
    UT_RUN(probe);
    UT_RUN(synchronous);
    UT_RUN(no_room_keeps_order);
    UT_RUN(to_oneself);
    UT_RUN(comm_free_drops_its_strays);
    UT_RUN(gone_peer);
    return UT_REPORT();
}
