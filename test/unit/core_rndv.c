/* Large messages through the device core: pushed, pulled, shared, refused halfway, too long; stale
 * and malformed ids. */
#include "core_loopback.h"

enum { SIZE = 10 * LB_EAGER_MAX + 17, PIECES = (SIZE + LB_PIECE - 1) / LB_PIECE };
static unsigned char from[SIZE], to[SIZE];

static void transfer(bool recv_first)
{
    lb_fill(from, SIZE, 3);
    memset(to, 0, SIZE);
    MPIR_Request *r = recv_first ? lb_irecv(to, SIZE, 1, 1) : NULL;
    MPIR_Request *s = lb_isend(from, SIZE, 1, 1, MPID_STANDARD);
    if (!r) {
        lb_run();
        r = lb_irecv(to, SIZE, 1, 1);
    }
    for (int i = 0;
         i < 100000 && !(MPIR_Request_is_complete(s) && MPIR_Request_is_complete(r)); i++)
        MPID_Progress_poll();
    lb_run();
    MPI_Status st = { 0 };
    UT_INT_EQ(lb_end(s, NULL), 0);
    UT_INT_EQ(lb_end(r, &st), 0);
    UT_INT_EQ(MPIR_Status_count(&st), SIZE);
    UT_CHECK(memcmp(from, to, SIZE) == 0);
}

static void both_orders(unsigned caps, int pulls)
{
    for (int recv_first = 0; recv_first < 2; recv_first++) {
        lb_reset(caps, pulls);
        transfer(recv_first);
        UT_INT_EQ(lb.n_pulled + lb.n_pushed, PIECES); /* each piece once */
    }
}

static void pushed(void)
{
    both_orders(0, 0);
    UT_INT_EQ(lb.n_kind[MPIDI_AM_FIN], 0);
}

static void pushed_with_little_room(void)
{
    lb_reset(0, 0);
    lb.room = 2;
    transfer(true);
}

static void pulled_without_claims(void)
{
    both_orders(MPIDI_CAP_PULL, PIECES);
    UT_INT_EQ(lb.n_pulled, PIECES);
    UT_INT_EQ(lb.n_kind[MPIDI_AM_CTS], 0);
}

static void pull_refused(void)
{
    for (int pulls = 0; pulls < PIECES; pulls += 7) {
        both_orders(MPIDI_CAP_PULL, pulls);
        UT_INT_EQ(lb.n_pulled, pulls);
    }
}

static void shared_pushed(void)
{
    both_orders(MPIDI_CAP_PULL | MPIDI_CAP_CLAIM, PIECES);
    UT_INT_EQ(lb.n_kind[MPIDI_AM_FIN], 1);
}

static void shared_pulled(void)
{
    MPIDI_core.crowded = true;
    both_orders(MPIDI_CAP_PULL | MPIDI_CAP_CLAIM, PIECES);
    UT_INT_EQ(lb.n_pulled, PIECES);
    MPIDI_core.crowded = false;
}

static void shared_refused(void)
{
    MPIDI_core.crowded = true;
    for (int pulls = 0; pulls < PIECES; pulls += 7)
        both_orders(MPIDI_CAP_PULL | MPIDI_CAP_CLAIM, pulls);
    MPIDI_core.crowded = false;
}

/* The sender gets CTS and stops after some pieces, as if it computed; the receiver goes on alone,
 * until it is refused. */
static void sender_goes_away(void)
{
    for (int pulls = 1; pulls <= PIECES; pulls += 9) {
        lb_reset(MPIDI_CAP_PULL | MPIDI_CAP_CLAIM, pulls);
        lb.room = 1;
        transfer(true);
        UT_INT_EQ(lb.n_pulled + lb.n_pushed, PIECES);
    }
}

static void too_long(unsigned caps)
{
    lb_reset(caps, PIECES);
    lb_fill(from, SIZE, 9);
    memset(to, 0xee, SIZE);
    enum { ROOM = 5 * LB_PIECE + 3 };
    MPIR_Request *r = lb_irecv(to, ROOM, 1, 1), *s = lb_isend(from, SIZE, 1, 1, MPID_STANDARD);
    lb_run();
    MPI_Status st = { 0 };
    UT_INT_EQ(MPIR_Err_class(lb_end(r, &st)), MPI_ERR_TRUNCATE);
    UT_INT_EQ(lb_end(s, NULL), 0);
    UT_INT_EQ(MPIR_Status_count(&st), ROOM);
    UT_CHECK(memcmp(from, to, ROOM) == 0 && to[ROOM] == 0xee && to[SIZE - 1] == 0xee);
}

static void truncation(void)
{
    too_long(0);
    too_long(MPIDI_CAP_PULL);
    too_long(MPIDI_CAP_PULL | MPIDI_CAP_CLAIM);
}

static void deliver(uint8_t kind, const void *ext, size_t n, size_t size)
{
    MPIDI_Am_hdr hdr = { .kind = kind, .ext_size = (uint8_t) n };
    MPIDI_Deliver(1, &hdr, ext, from, size);
}

static void stale_ids_are_ignored(void)
{
    lb_reset(0, 0);
    const uint64_t one = 1;
    const uint64_t ids[] = { 0, 1, 63, 1000000, UINT64_MAX, one << 32, one << 33 | 5 };
    MPIR_Request *s = lb_isend(from, SIZE, 1, 1, MPID_STANDARD);
    lb_run();
    for (size_t i = 0; i < MPL_ARRAY_SIZE(ids); i++) {
        MPIDI_Cts cts = { .sender = ids[i], .receiver = ids[i], .back = 3 };
        MPIDI_Piece piece = { .receiver = ids[i], .offset = ids[i] };
        deliver(MPIDI_AM_CTS, &cts, sizeof cts, 0);
        deliver(MPIDI_AM_DATA, &piece, sizeof piece, 100);
        deliver(MPIDI_AM_FIN, &ids[i], 8, 0);
        deliver(MPIDI_AM_ACK, &ids[i], 8, 0);
    }
    UT_CHECK(!MPIR_Request_is_complete(s));
    MPIR_Request *r = lb_irecv(to, SIZE, 1, 1);
    lb_run();
    UT_INT_EQ(lb_end(s, NULL) | lb_end(r, NULL), 0);
}

static void malformed_messages_are_dropped(void)
{
    lb_reset(0, 0);
    const uint8_t kinds[] = { 0, MPIDI_AM_EAGER_SYNC, MPIDI_AM_RTS, MPIDI_AM_CTS, MPIDI_AM_DATA,
                              MPIDI_AM_FIN, MPIDI_AM_ACK, MPIDI_AM_BOOT + 1, 255 };
    for (size_t i = 0; i < sizeof kinds; i++)
        deliver(kinds[i], "x", 1, 10);
    MPIDI_Rts rts = { .id = 5, .size = 4096 }; /* pieces of 0 bytes */
    MPIDI_Am_hdr hdr = {
        .ctx = lb_comm.ctx, .src = 1, .tag = 1, .kind = MPIDI_AM_RTS, .ext_size = sizeof rts
    };
    MPIR_Request *r = lb_irecv(to, SIZE, 1, 1);
    MPIDI_Deliver(1, &hdr, &rts, NULL, 0);
    UT_INT_EQ(MPIR_Err_class(lb_end(r, NULL)), MPI_ERR_INTERN);
}

/* A piece that does not lie within the message. */
static void piece_out_of_range(void)
{
    lb_reset(0, 0);
    MPIR_Request *r = lb_irecv(to, SIZE, 1, 1), *s = lb_isend(from, SIZE, 1, 1, MPID_STANDARD);
    UT_CHECK(lb_progress());
    MPIDI_Xfer *x = r->dev.xfer;
    UT_CHECK(x != NULL);
    MPIDI_Piece piece = { .receiver = x->id, .offset = SIZE - 5 };
    deliver(MPIDI_AM_DATA, &piece, sizeof piece, 6);
    piece.offset = UINT64_MAX - 2;
    deliver(MPIDI_AM_DATA, &piece, sizeof piece, 6);
    lb_run();
    UT_INT_EQ(lb_end(s, NULL) | lb_end(r, NULL), 0);
}

/* The receive is freed with its epoch while data is under way: the sender is served to the end. */
static void receive_forgotten(void)
{
    lb_reset(0, 0);
    memset(to, 0x55, SIZE);
    MPIR_Request *r = lb_irecv(to, SIZE, 1, 1), *s = lb_isend(from, SIZE, 1, 1, MPID_STANDARD);
    UT_CHECK(lb_progress());
    MPID_Request_forget(r);
    MPIR_Request_release(r);
    MPIR_Request_release(r);
    lb_run();
    UT_INT_EQ(lb_end(s, NULL), 0);
    UT_INT_EQ(to[100], 0x55);
}

int main(void)
{
    lb_start();
    UT_RUN(pushed);
    UT_RUN(pushed_with_little_room);
    UT_RUN(pulled_without_claims);
    UT_RUN(pull_refused);
    UT_RUN(shared_pushed);
    UT_RUN(shared_pulled);
    UT_RUN(shared_refused);
    UT_RUN(sender_goes_away);
    UT_RUN(truncation);
    UT_RUN(stale_ids_are_ignored);
    UT_RUN(malformed_messages_are_dropped);
    UT_RUN(piece_out_of_range);
    UT_RUN(receive_forgotten);
    return UT_REPORT();
}
