/* Matching: posted receives meet arrivals, in the order that the standard asks for.
 *
 * A hash table maps a key (context, source, tag; a wild source or tag stands for itself) to a slot
 * with two queues: the receives posted with this pattern, and the strays that it would match. An
 * arrival looks at its own slot and, only if such receives are posted, at the slots of the three
 * wild patterns it fits; the lowest order of posting wins. A stray is queued under its own key,
 * under (context, any, any), and, from the first time that somebody asks that way, under the two
 * patterns with one wild part. So each look-up takes the head of a queue, however much waits.
 *
 * Slots stay in the table when they run empty, since the same key comes back; the empty ones are
 * swept before it grows.
 */
#include <stdlib.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_err.h"

#define FIRST_BITS 7 /* 128 buckets: one page */

static MPIDI_Match *const match = &MPIDI_core.match;

/* ---- slots ----------------------------------------------------------------------------------- */

static inline size_t hash(const MPIDI_Key *k, unsigned bits)
{
    uint64_t h = (k->ctx ^ (k->ctx >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= ((uint64_t) (uint32_t) k->src << 32) | (uint32_t) k->tag;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t) (h >> (64 - bits));
}

static inline bool is_empty(const MPIDI_Slot *s)
{
    return !s->posted_head && !s->stray_head;
}

static void is_last(MPIDI_Slot *s)
{
    if (match->last)
        match->last->after = s;
    match->last = s;
}

static MPIDI_Slot *find_in_bucket(const MPIDI_Key *key)
{
    MPIDI_Slot *s = match->bucket[hash(key, match->bits)];
    while (s && !MPIDI_Key_same(&s->key, key))
        s = s->next;
    if (s)
        is_last(s);
    return s;
}

/* The slot of key, or NULL if nothing was ever queued there. */
static inline MPIDI_Slot *find(const MPIDI_Key *key)
{
    MPIDI_Slot *s = MPIDI_Match_guess(key);
    return MPL_LIKELY(s != NULL) ? s : find_in_bucket(key);
}

static void sweep(void)
{
    match->last = NULL;
    for (size_t i = 0; i < (size_t) 1 << match->bits; i++) {
        MPIDI_Slot **at = &match->bucket[i];
        while (*at) {
            MPIDI_Slot *s = *at;
            s->after = NULL;
            if (!is_empty(s)) {
                at = &s->next;
                continue;
            }
            *at = s->next;
            s->next = match->free_slots;
            match->free_slots = s;
            match->n_slots--;
        }
    }
}

static void grow(void)
{
    unsigned bits = match->bits + 2;
    MPIDI_Slot **bucket = calloc((size_t) 1 << bits, sizeof *bucket);
    if (!bucket)
        return; /* longer buckets are slower, and still right */
    for (size_t i = 0; i < (size_t) 1 << match->bits; i++) {
        for (MPIDI_Slot *s = match->bucket[i], *next; s; s = next) {
            next = s->next;
            size_t to = hash(&s->key, bits);
            s->next = bucket[to];
            bucket[to] = s;
        }
    }
    free(match->bucket);
    match->bucket = bucket;
    match->bits = bits;
}

static void more_slots(void)
{
    enum { BATCH = 64 };
    MPIDI_Slot *s = malloc(BATCH * sizeof *s);
    if (!s)
        MPIR_Fatal("out of memory: %zu bytes for the matching table", BATCH * sizeof *s);
    s[0].next = match->batches; /* so that the memory stays in sight of leak checkers */
    match->batches = s;
    for (int i = 1; i < BATCH; i++) {
        s[i].next = match->free_slots;
        match->free_slots = &s[i];
    }
}

static MPIDI_Slot *make(const MPIDI_Key *key)
{
    if (match->n_slots >= (size_t) 1 << match->bits) {
        sweep();
        if (match->n_slots >= ((size_t) 1 << match->bits) / 2)
            grow();
    }
    if (!match->free_slots)
        more_slots();
    MPIDI_Slot *s = match->free_slots;
    match->free_slots = s->next;
    size_t i = hash(key, match->bits);
    *s = (MPIDI_Slot) { .key = *key, .next = match->bucket[i] };
    match->bucket[i] = s;
    match->n_slots++;
    is_last(s);
    return s;
}

static inline MPIDI_Slot *find_or_make(const MPIDI_Key *key)
{
    MPIDI_Slot *s = find(key);
    return MPL_LIKELY(s != NULL) ? s : make(key);
}

int MPIDI_Match_init(void)
{
    if (match->bucket)
        return MPI_SUCCESS;
    match->bits = FIRST_BITS;
    match->bucket = calloc((size_t) 1 << FIRST_BITS, sizeof *match->bucket);
    match->indexed = 1u << MPIDI_EXACT | 1u << MPIDI_ANY_BOTH;
    return match->bucket ? MPI_SUCCESS
                         : MPIR_Err("**nomem_ch4", sizeof *match->bucket << FIRST_BITS,
                                    "the matching table");
}

/* ---- patterns -------------------------------------------------------------------------------- */

static inline int sort_of(const MPIDI_Key *pattern)
{
    return (pattern->src == MPI_ANY_SOURCE ? MPIDI_ANY_SRC : 0)
        | (pattern->tag == MPI_ANY_TAG ? MPIDI_ANY_TAG : 0);
}

static inline MPIDI_Key wild(const MPIDI_Key *key, int sort)
{
    return (MPIDI_Key) { .ctx = key->ctx,
                         .src = sort & MPIDI_ANY_SRC ? MPI_ANY_SOURCE : key->src,
                         .tag = sort & MPIDI_ANY_TAG ? MPI_ANY_TAG : key->tag };
}

static inline MPIDI_Key pattern_of(const MPIR_Request *req)
{
    return (MPIDI_Key) { .ctx = req->dev.ctx, .src = req->dev.src, .tag = req->dev.tag };
}

/* ---- posted receives ------------------------------------------------------------------------- */

void MPIDI_Match_post_slow(MPIR_Request *req)
{
    MPIDI_Key pattern = pattern_of(req);
    MPIDI_Slot *s = find_or_make(&pattern);
    req->dev.order = ++match->order;
    req->dev.state = MPIDI_REQ_POSTED;
    req->dev.next = NULL;
    req->dev.prev = s->posted_tail;
    if (s->posted_tail)
        s->posted_tail->dev.next = req;
    else
        s->posted_head = req;
    s->posted_tail = req;
    match->n_posted[sort_of(&pattern)]++;
}

static inline void unpost_from(MPIDI_Slot *s, MPIR_Request *req)
{
    if (req->dev.prev)
        req->dev.prev->dev.next = req->dev.next;
    else
        s->posted_head = req->dev.next;
    if (req->dev.next)
        req->dev.next->dev.prev = req->dev.prev;
    else
        s->posted_tail = req->dev.prev;
    match->n_posted[sort_of(&s->key)]--;
    req->dev.state = MPIDI_REQ_MOVING;
}

void MPIDI_Match_unpost(MPIR_Request *req)
{
    MPIDI_Key pattern = pattern_of(req);
    unpost_from(find(&pattern), req);
}

/* Among the wild patterns that fit key too, the slot whose first receive was posted before that of
 * `best`. */
static MPIDI_Slot *earlier_wild(const MPIDI_Key *key, MPIDI_Slot *best)
{
    for (int sort = MPIDI_ANY_SRC; sort < MPIDI_PATTERNS; sort++) {
        if (match->n_posted[sort] == 0)
            continue;
        MPIDI_Key pattern = wild(key, sort);
        MPIDI_Slot *s = find(&pattern);
        if (s && s->posted_head
            && (!best || s->posted_head->dev.order < best->posted_head->dev.order))
            best = s;
    }
    return best;
}

MPIR_Request *MPIDI_Match_arrival_slow(const MPIDI_Key *key)
{
    MPIDI_Slot *s = find(key);
    if (s && !s->posted_head)
        s = NULL;
    if (MPL_UNLIKELY(MPIDI_Match_any_wild_posted(match)))
        s = earlier_wild(key, s);
    if (!s)
        return NULL;
    MPIR_Request *req = s->posted_head;
    unpost_from(s, req);
    return req;
}

void MPIDI_Match_each_posted(void (*visit)(MPIR_Request *req, void *arg), void *arg)
{
    for (size_t i = 0; match->bucket && i < (size_t) 1 << match->bits; i++) {
        for (MPIDI_Slot *s = match->bucket[i]; s; s = s->next) {
            for (MPIR_Request *req = s->posted_head, *next; req; req = next) {
                next = req->dev.next;
                visit(req, arg);
            }
        }
    }
}

/* ---- strays ---------------------------------------------------------------------------------- */

static void enqueue(MPIDI_Stray *stray, int sort)
{
    MPIDI_Key key = wild(&stray->key, sort);
    MPIDI_Slot *s = find_or_make(&key);
    struct MPIDI_Stray_link *l = &stray->link[sort];
    l->slot = s;
    l->next = NULL;
    l->prev = s->stray_tail;
    if (s->stray_tail)
        s->stray_tail->link[sort].next = stray;
    else
        s->stray_head = stray;
    s->stray_tail = stray;
}

static void dequeue(MPIDI_Stray *stray, int sort)
{
    struct MPIDI_Stray_link *l = &stray->link[sort];
    if (l->prev)
        l->prev->link[sort].next = l->next;
    else
        l->slot->stray_head = l->next;
    if (l->next)
        l->next->link[sort].prev = l->prev;
    else
        l->slot->stray_tail = l->prev;
    l->slot = NULL;
}

void MPIDI_Match_keep(MPIDI_Stray *stray)
{
    /* Exact last: it is the one looked up next. */
    for (int sort = MPIDI_PATTERNS - 1; sort >= 0; sort--) {
        stray->link[sort].slot = NULL;
        if (match->indexed & (1u << sort))
            enqueue(stray, sort);
    }
    match->n_strays++;
}

void MPIDI_Match_take(MPIDI_Stray *stray)
{
    for (int sort = 0; sort < MPIDI_PATTERNS; sort++)
        if (stray->link[sort].slot)
            dequeue(stray, sort);
    match->n_strays--;
}

/* Somebody asks by this sort of pattern for the first time: queue all strays for it, in order of
 * arrival, which the queues of (context, any, any) hold. Making slots may move buckets, so the
 * heads are collected first. */
static void index_sort(int sort)
{
    size_t n = 0;
    MPIDI_Stray **head = malloc((match->n_slots + 1) * sizeof(MPIDI_Stray *));
    if (!head)
        MPIR_Fatal("out of memory: %zu bytes for the matching table",
                   (match->n_slots + 1) * sizeof(MPIDI_Stray *));
    for (size_t i = 0; i < (size_t) 1 << match->bits; i++)
        for (MPIDI_Slot *s = match->bucket[i]; s; s = s->next)
            if (s->stray_head && sort_of(&s->key) == MPIDI_ANY_BOTH)
                head[n++] = s->stray_head;
    match->indexed |= 1u << sort;
    while (n > 0)
        for (MPIDI_Stray *u = head[--n]; u; u = u->link[MPIDI_ANY_BOTH].next)
            enqueue(u, sort);
    free(head);
}

MPIDI_Stray *MPIDI_Match_find(const MPIDI_Key *pattern)
{
    int sort = sort_of(pattern);
    if (MPL_UNLIKELY(!(match->indexed & (1u << sort))))
        index_sort(sort);
    MPIDI_Slot *s = find(pattern);
    return s ? s->stray_head : NULL;
}

MPIDI_Stray *MPIDI_Match_first_of(uint64_t ctx)
{
    if (match->n_strays == 0)
        return NULL;
    MPIDI_Key all = { .ctx = ctx, .src = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG };
    return MPIDI_Match_find(&all);
}

/* ---- memory of strays ------------------------------------------------------------------------ */

static const size_t class_size[] = { 128, 2048 };
enum { N_CLASSES = 2 };

static uint8_t class_of(size_t n)
{
    uint8_t c = 0;
    while (c < N_CLASSES && n > class_size[c])
        c++;
    return c;
}

MPIDI_Stray *MPIDI_Stray_new(size_t n)
{
    uint8_t c = class_of(n);
    MPIDI_Stray *u = c < N_CLASSES ? match->free_strays[c] : NULL;
    if (u) {
        match->free_strays[c] = u->next_free;
        return u;
    }
    size_t size = sizeof *u + (c < N_CLASSES ? class_size[c] : n);
    u = malloc(size);
    if (!u)
        MPIR_Fatal("out of memory: %zu bytes for a message that no receive is posted for, beside "
                   "%zu of them that wait already",
                   size, match->n_strays);
    u->size_class = c;
    return u;
}

void MPIDI_Stray_free(MPIDI_Stray *u)
{
    if (u->size_class >= N_CLASSES) {
        free(u);
        return;
    }
    u->next_free = match->free_strays[u->size_class];
    match->free_strays[u->size_class] = u;
}

/* Give memory back that nothing uses (end of an epoch). */
void MPIDI_Match_trim(void)
{
    for (int c = 0; c < N_CLASSES; c++) {
        for (MPIDI_Stray *u = match->free_strays[c], *next; u; u = next) {
            next = u->next_free;
            free(u);
        }
        match->free_strays[c] = NULL;
    }
}

/* ---- validity -------------------------------------------------------------------------------- */

static bool slot_is_valid(const MPIDI_Slot *s, size_t n_posted[MPIDI_PATTERNS])
{
    int sort = sort_of(&s->key);
    const MPIR_Request *last = NULL;
    for (const MPIR_Request *r = s->posted_head; r; last = r, r = r->dev.next, n_posted[sort]++)
        if (r->dev.prev != last || r->dev.state != MPIDI_REQ_POSTED
            || (last && last->dev.order >= r->dev.order))
            return false;
    const MPIDI_Stray *before = NULL;
    for (const MPIDI_Stray *u = s->stray_head; u; before = u, u = u->link[sort].next)
        if (u->link[sort].slot != s || u->link[sort].prev != before)
            return false;
    return last == s->posted_tail && before == s->stray_tail;
}

bool MPIDI_Match_is_valid(void)
{
    size_t n_posted[MPIDI_PATTERNS] = { 0 }, n_slots = 0;
    for (size_t i = 0; i < (size_t) 1 << match->bits; i++)
        for (const MPIDI_Slot *s = match->bucket[i]; s; s = s->next, n_slots++)
            if (hash(&s->key, match->bits) != i || !slot_is_valid(s, n_posted))
                return false;
    return n_slots == match->n_slots && memcmp(n_posted, match->n_posted, sizeof n_posted) == 0;
}
