/* Places: who gives them, and where they are mapped. What is done there is the core's affair. */
#include "posix_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t stride(void)
{
    return MPIDI_POSIX_place_stride(MPIDI_POSIX.n);
}

static bool allocate_table(void)
{
    if (!MPIDI_POSIX.places)
        MPIDI_POSIX.places = calloc((size_t) MPIDI_POSIX.n, sizeof(*MPIDI_POSIX.places));
    return MPIDI_POSIX.places != NULL;
}

/* All of a process at once, and for good: mappings are dear, and address space is not. */
bool MPIDI_POSIX_places_of(int world_rank)
{
    int owner = MPIDI_POSIX_local_rank(world_rank);
    if (owner < 0 || !allocate_table())
        return false;
    if (!MPIDI_POSIX.places[owner])
        MPIDI_POSIX.places[owner] =
            MPIDI_POSIX_map((off_t) MPIDI_POSIX_places_offset(MPIDI_POSIX.n, owner),
                            MPIDI_POSIX_places_stride(MPIDI_POSIX.n));
    return MPIDI_POSIX.places[owner] != NULL;
}

static MPIDI_POSIX_Place *place_at(int owner, int number)
{
    return (MPIDI_POSIX_Place *) (MPIDI_POSIX.places[owner] + (size_t) number * stride());
}

MPIDI_POSIX_Place *MPIDI_POSIX_place(int world_rank, int number)
{
    return place_at(MPIDI_POSIX_local_rank(world_rank), number);
}

static bool reserve(int number, int n_members)
{
    const MPIR_Nodedir_ref *ref = MPIDI_POSIX.ref;
    off_t offset = (off_t) MPIDI_POSIX_places_offset(MPIDI_POSIX.n, MPIDI_POSIX.me) +
                   (off_t) ((size_t) number * stride());
    return ref->sparse_ok || MPL_shm_reserve(ref->arena_fd, ref->arena_offset + offset,
                                             MPIDI_POSIX_place_size(n_members)) == 0;
}

/* Pairs with the release by which members count themselves out. */
static bool is_free(int number)
{
    unsigned given_to = MPIDI_POSIX.place_members[number];
    return given_to == 0 || atomic_load_explicit(&place_at(MPIDI_POSIX.me, number)->left,
                                                 memory_order_acquire) == given_to;
}

/* The lowest free one: it is likely to be in memory already. */
int MPIDI_POSIX_place_give(int n_members)
{
    if (!MPIDI_POSIX.place_members)
        MPIDI_POSIX.place_members = calloc(MPIDI_POSIX_PLACES, 1);
    if (!MPIDI_POSIX.place_members || n_members > (int) MPIDI_POSIX_PLACE_MEMBERS ||
        !MPIDI_POSIX_places_of(MPIDI_POSIX_world_rank(MPIDI_POSIX.me)))
        return -1;
    for (int i = 0; i < (int) MPIDI_POSIX_PLACES; i++) {
        if (!is_free(i))
            continue;
        if (!reserve(i, n_members))
            return -1;
        memset(place_at(MPIDI_POSIX.me, i), 0, sizeof(MPIDI_POSIX_Place));
        MPIDI_POSIX.place_members[i] = (uint8_t) n_members;
        return i;
    }
    return -1;
}

MPIDI_POSIX_Inbox *MPIDI_POSIX_bed(int world_rank)
{
    return MPIDI_POSIX_inbox_of(MPIDI_POSIX_local_rank(world_rank));
}

void MPIDI_POSIX_places_release(void)
{
    for (int i = 0; i < MPIDI_POSIX.n && MPIDI_POSIX.places; i++)
        if (MPIDI_POSIX.places[i])
            munmap(MPIDI_POSIX.places[i], MPIDI_POSIX_places_stride(MPIDI_POSIX.n));
    free(MPIDI_POSIX.places);
    free(MPIDI_POSIX.place_members);
    MPIDI_POSIX.places = NULL;
    MPIDI_POSIX.place_members = NULL;
}
