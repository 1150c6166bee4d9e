/* Rings by themselves: one process, or two threads (so that a thread checker sees both ends). No
 * transport around them. */
#include <pthread.h>
#include <stdlib.h>

#include "../../src/mpid/ch4/shm/posix/posix_impl.h"
#include "utest.h"

static MPIDI_POSIX_Ring *ring;
static MPIDI_POSIX_Inbox *inbox;
static MPIDI_POSIX_Tx tx;
static MPIDI_POSIX_Rx rx;

static unsigned char source[MPIDI_POSIX_PAYLOAD_MAX + 64];

static void start(void)
{
    free(ring);
    free(inbox);
    ring = aligned_alloc(4096, sizeof(*ring));
    inbox = aligned_alloc(128, 256);
    memset(ring, 0, sizeof(*ring));
    memset(inbox, 0, 256);
    tx = (MPIDI_POSIX_Tx) { .ring = ring, .bulk_size = MPIDI_POSIX_BULK };
    rx = (MPIDI_POSIX_Rx) { .ring = ring, .sender = inbox };
}

/* Message number i: ext and payload of sizes and contents that follow from i. */
static MPIDI_Am message(uint32_t i, size_t ext_size, size_t size)
{
    static unsigned char ext[MPIDI_AM_EXT_MAX];
    for (size_t k = 0; k < ext_size; k++)
        ext[k] = (unsigned char) (i + k);
    return (MPIDI_Am) { .hdr = { .ctx = i * UINT64_C(0x9e3779b97f4a7c15),
                                 .src = (int32_t) i,
                                 .tag = (int32_t) ~i,
                                 .kind = (uint8_t) (1 + i % 8),
                                 .ext_size = (uint8_t) ext_size },
                        .ext = ext,
                        .data = { .base = source + i % 64, .size = size } };
}

static uint32_t delivered;
static size_t last_size;

static void deliver(int rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload,
                    size_t size)
{
    (void) rank;
    uint32_t i = (uint32_t) hdr->src;
    UT_INT_EQ(i, delivered);
    UT_INT_EQ(hdr->tag, (int32_t) ~i);
    UT_CHECK(hdr->ctx == i * UINT64_C(0x9e3779b97f4a7c15));
    UT_INT_EQ(hdr->kind, 1 + i % 8);
    for (size_t k = 0; k < hdr->ext_size; k++)
        UT_INT_EQ(((const unsigned char *) ext)[k], (unsigned char) (i + k));
    UT_CHECK(size == 0 || memcmp(payload, source + i % 64, size) == 0);
    last_size = size;
    delivered++;
}

static void each_size_arrives_whole(void)
{
    start();
    delivered = 0;
    for (size_t ext = 0; ext <= MPIDI_AM_EXT_MAX; ext += 4) {
        for (size_t size = 0; size < 200; size++) {
            MPIDI_Am am = message(tx.sent, ext, size);
            UT_CHECK(!MPIDI_POSIX_rx_ready(&rx));
            UT_CHECK(MPIDI_POSIX_tx_push(&tx, &am));
            UT_CHECK(MPIDI_POSIX_rx_ready(&rx));
            UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
            UT_INT_EQ(last_size, size);
            MPIDI_POSIX_rx_tell(&rx);
        }
    }
}

static void sequence_numbers_wrap(void)
{
    start();
    /* As after 2^32 - 100 messages. */
    tx.sent = tx.seen = rx.taken = rx.told = delivered = UINT32_MAX - 99;
    ring->taken = tx.sent;
    for (uint32_t i = 0; i < MPIDI_POSIX_SLOTS; i++)
        ring->slot[(tx.sent + i) % MPIDI_POSIX_SLOTS].seq = tx.sent + i + 1 - MPIDI_POSIX_SLOTS;
    for (int i = 0; i < 300; i++) {
        MPIDI_Am am = message(tx.sent, 8, (size_t) i * 7 % 90);
        UT_CHECK(!MPIDI_POSIX_rx_ready(&rx));
        UT_CHECK(MPIDI_POSIX_tx_push(&tx, &am));
        UT_CHECK(MPIDI_POSIX_rx_ready(&rx));
        UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
        if (i % 3 == 0)
            MPIDI_POSIX_rx_tell(&rx);
    }
    UT_INT_EQ(rx.taken, 200);
}

static void full_ring_takes_no_more(void)
{
    start();
    delivered = 0;
    MPIDI_Am am;
    for (uint32_t i = 0; i < MPIDI_POSIX_SLOTS; i++) {
        am = message(tx.sent, 0, 8);
        UT_CHECK(MPIDI_POSIX_tx_push(&tx, &am));
    }
    am = message(tx.sent, 0, 8);
    UT_CHECK(!MPIDI_POSIX_tx_push(&tx, &am));
    UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
    UT_CHECK(!MPIDI_POSIX_tx_push(&tx, &am)); /* not told yet */
    MPIDI_POSIX_rx_tell(&rx);
    UT_CHECK(MPIDI_POSIX_tx_push(&tx, &am));
}

static void bulk_area_never_overlaps(void)
{
    start();
    delivered = 0;
    uint64_t random = 1;
    uint32_t refused = 0;
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t size = (size_t) (random >> 33) % (i % 3 ? 3000 : MPIDI_POSIX_PAYLOAD_MAX + 1);
        MPIDI_Am am = message(tx.sent, (random >> 20) % 33, size);
        if (!MPIDI_POSIX_tx_push(&tx, &am))
            refused++;
        if (random % 5 < 2 || refused % 40 == 39) {
            while (MPIDI_POSIX_rx_ready(&rx))
                UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
            MPIDI_POSIX_rx_tell(&rx);
        } else if (MPIDI_POSIX_rx_ready(&rx)) {
            UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
            if (MPIDI_POSIX_rx_owes(&rx))
                MPIDI_POSIX_rx_tell(&rx);
        }
    }
    UT_CHECK(delivered > 10000);
}

static void largest_payload_always_finds_room_in_an_empty_ring(void)
{
    start();
    tx.bulk_size = MPIDI_POSIX_PAYLOAD_MAX; /* what is reserved at least */
    delivered = 0;
    for (int i = 0; i < 100; i++) {
        size_t size = i % 2 ? MPIDI_POSIX_PAYLOAD_MAX - (size_t) i % 3 * 32 : 41;
        MPIDI_Am am = message(tx.sent, 32, size);
        UT_CHECK(MPIDI_POSIX_tx_push(&tx, &am));
        UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
        MPIDI_POSIX_rx_tell(&rx);
    }
}

static void light_traffic_stays_in_few_pages(void)
{
    start();
    delivered = 0;
    for (int i = 0; i < 10000; i++) {
        MPIDI_Am am = message(tx.sent, 0, 1000 + (size_t) i % 3000);
        UT_CHECK(MPIDI_POSIX_tx_push(&tx, &am));
        UT_CHECK(tx.bulk_next <= 128 * 1024);
        UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
        if (MPIDI_POSIX_rx_owes(&rx) || i % 4 == 0)
            MPIDI_POSIX_rx_tell(&rx);
    }
}

static void nonsense_is_told_of_and_not_followed(void)
{
    static const struct {
        uint16_t size;
        uint8_t kind, ext_size;
        uint32_t offset, length;
    } bad[] = {
        { 41, 1, 0, 0, 0 },
        { 8, 1, 40, 0, 0 },
        { 8, 0, 0, 0, 0 },
        { 1, 1, 255, 0, 0 },
        { MPIDI_POSIX_IN_BULK, 1, 0, MPIDI_POSIX_BULK, 64 },
        { MPIDI_POSIX_IN_BULK, 1, 0, 64, MPIDI_POSIX_BULK },
        { MPIDI_POSIX_IN_BULK, 1, 0, 64, UINT32_MAX },
        { MPIDI_POSIX_IN_BULK, 1, 0, UINT32_MAX - 63, 128 },
        { MPIDI_POSIX_IN_BULK, 1, 0, MPIDI_POSIX_BULK - 7, 8 },
        { MPIDI_POSIX_IN_BULK, 1, 33, 0, 64 },
    };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(bad); i++) {
        start();
        delivered = 0;
        MPIDI_POSIX_Bulk_ref ref = { bad[i].offset, bad[i].length };
        ring->slot[0].size = bad[i].size;
        ring->slot[0].kind = bad[i].kind;
        ring->slot[0].ext_size = bad[i].ext_size;
        memcpy(ring->slot[0].data, &ref, sizeof(ref));
        ring->slot[0].seq = 1;
        UT_CHECK(MPIDI_POSIX_rx_ready(&rx));
        UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) != NULL);
        UT_INT_EQ(delivered, 0);
    }
}

#define THREAD_MESSAGES 30000

static void *writer(void *arg)
{
    for (uint32_t i = 0; i < THREAD_MESSAGES;) {
        MPIDI_Am am = message(i, i % 33, i % 50 ? i % 300 : (i * 131) % MPIDI_POSIX_PAYLOAD_MAX);
        if (MPIDI_POSIX_tx_push(&tx, &am))
            i++;
        else
            sched_yield();
    }
    return arg;
}

static void two_threads(void)
{
    pthread_t thread;
    start();
    delivered = 0;
    pthread_create(&thread, NULL, writer, NULL);
    while (delivered < THREAD_MESSAGES) {
        if (!MPIDI_POSIX_rx_ready(&rx)) {
            if (rx.told != rx.taken)
                MPIDI_POSIX_rx_tell(&rx);
            sched_yield();
            continue;
        }
        UT_CHECK(MPIDI_POSIX_rx_take(&rx, deliver) == NULL);
        if (MPIDI_POSIX_rx_owes(&rx))
            MPIDI_POSIX_rx_tell(&rx);
    }
    pthread_join(thread, NULL);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void claims_are_told_apart(void)
{
    start();
    MPIDI_POSIX_Rx *rx_of[1] = { &rx };
    MPIDI_POSIX.rx_of = rx_of;
    MPIDI_Ep ep = { .tx = tx };
    uint64_t token[MPIDI_POSIX_CLAIMS];
    for (uint32_t i = 0; i < MPIDI_POSIX_CLAIMS; i++) {
        token[i] = MPIDI_POSIX_claim_open(&ep);
        UT_CHECK(token[i] != 0);
    }
    UT_CHECK(MPIDI_POSIX_claim_open(&ep) == 0);
    /* In one process ring and rx are the same memory: both ends of the same counter. */
    UT_INT_EQ(MPIDI_POSIX_claim(&ep, token[3], true), 0);
    UT_INT_EQ(MPIDI_POSIX_claim(&ep, token[3], false), 1);
    UT_INT_EQ(MPIDI_POSIX_claim(&ep, token[3], true), 2);
    UT_INT_EQ(MPIDI_POSIX_claim(&ep, token[4], true), 0);
    MPIDI_POSIX_claim_close(&ep, token[3]);
    UT_CHECK(MPIDI_POSIX_claim(&ep, token[3], false) == UINT64_MAX);
    uint64_t again = MPIDI_POSIX_claim_open(&ep);
    UT_CHECK(again != token[3] && again != 0);
    UT_CHECK(MPIDI_POSIX_claim(&ep, token[3], false) == UINT64_MAX);
    MPIDI_POSIX_claim_close(&ep, token[3]); /* stale: changes nothing */
    UT_INT_EQ(MPIDI_POSIX_claim(&ep, again, false), 0);
    static const uint64_t garbage[] = { 0, 1, UINT64_C(1) << 32, UINT64_C(1) << 32 | 33,
                                        UINT64_MAX };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(garbage); i++)
        UT_CHECK(MPIDI_POSIX_claim(&ep, garbage[i], false) == UINT64_MAX);
    MPIDI_POSIX.rx_of = NULL;
}

int main(void)
{
    for (size_t i = 0; i < sizeof(source); i++)
        source[i] = (unsigned char) (i * 37 + i / 251);
    UT_RUN(each_size_arrives_whole);
    UT_RUN(sequence_numbers_wrap);
    UT_RUN(full_ring_takes_no_more);
    UT_RUN(bulk_area_never_overlaps);
    UT_RUN(largest_payload_always_finds_room_in_an_empty_ring);
    UT_RUN(light_traffic_stays_in_few_pages);
    UT_RUN(nonsense_is_told_of_and_not_followed);
    UT_RUN(two_threads);
    UT_RUN(claims_are_told_apart);
    free(ring);
    free(inbox);
    return UT_REPORT();
}
