/* Bootstrap messages: before their receiver, in order, matched on the whole key. */
#include "core_loopback.h"

static MPID_Boot_key key(const char *tag, int size)
{
    MPID_Boot_key k = { .group_hash = { 11, 22 }, .group_size = size };
    strcpy(k.tag, tag);
    return k;
}

static void send(const char *tag, int size, MPIR_Context_id ctx)
{
    MPID_Boot_key k = key(tag, size);
    UT_INT_EQ(MPID_Boot_send(1, &k, ctx), MPI_SUCCESS);
}

static MPIR_Context_id recv(const char *tag, int size)
{
    MPID_Boot_key k = key(tag, size);
    MPIR_Context_id ctx = 0;
    UT_INT_EQ(MPID_Boot_recv(1, &k, &ctx), MPI_SUCCESS);
    return ctx;
}

static void messages_wait_for_their_receiver(void)
{
    lb_reset(0, 0);
    send("a", 2, 100);
    send("ab", 2, 200);
    send("a", 2, 101);
    send("a", 3, 300);
    send("", 2, 400);
    lb_run();
    UT_INT_EQ(recv("a", 3), 300);
    UT_INT_EQ(recv("a", 2), 100);
    UT_INT_EQ(recv("a", 2), 101);
    UT_INT_EQ(recv("", 2), 400);
    UT_INT_EQ(recv("ab", 2), 200);
    send("late", 2, 500);
    UT_INT_EQ(recv("late", 2), 500);
}

static void longest_tag(void)
{
    char tag[MPI_MAX_STRINGTAG_LEN];
    memset(tag, 'x', sizeof tag);
    tag[sizeof tag - 1] = '\0';
    send(tag, 2, 7);
    UT_INT_EQ(recv(tag, 2), 7);
}

static void malformed_are_dropped(void)
{
    MPIDI_Am_hdr hdr = { .kind = MPIDI_AM_BOOT };
    MPID_Boot_key k = key("x", 2);
    MPIDI_Deliver(1, &hdr, NULL, &k, 3);
    MPIDI_Deliver(1, &hdr, NULL, &k, offsetof(MPID_Boot_key, tag) + 1); /* not terminated */
    int err = 0;
    UT_CHECK(MPIDI_Peer_get(1, &err)->boot_head == NULL);
}

static void suspended_process_keeps_them(void)
{
    send("over the break", 2, 9);
    lb_run();
    MPIR_Request_drop_all();
    UT_INT_EQ(MPID_Suspend(), MPI_SUCCESS);
    UT_INT_EQ(MPID_Resume(), MPI_SUCCESS);
    UT_INT_EQ(recv("over the break", 2), 9);
}

static void dead_leader_is_an_error(void)
{
    MPID_Boot_key k = key("never", 2);
    MPIR_Context_id ctx = 0;
    lb.gone = true;
    UT_CHECK(MPID_Boot_recv(1, &k, &ctx) != MPI_SUCCESS);
}

int main(void)
{
    lb_start();
    UT_RUN(messages_wait_for_their_receiver);
    UT_RUN(longest_tag);
    UT_RUN(malformed_are_dropped);
    UT_RUN(suspended_process_keeps_them);
    UT_RUN(dead_leader_is_an_error);
    return UT_REPORT();
}
