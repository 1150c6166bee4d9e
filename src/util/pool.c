/* Pools: where objects with handles live. See mpir_handle.h for the bits of a handle.
 *
 * Owns the storage of all handles' objects, which lives with the process. Called by every layer above src/mpl.
 *
 * MPIR_Pool_get() takes no lock, though another thread may be growing the pool: blocks never move, and when the
 * array of pointers to them is full, a larger copy is published and the old one stays readable for ever (all old
 * arrays together are smaller than the newest).
 */
#include "mpir_handle.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS 0x4000u /* what the 14 bits of a handle can name */
#define FIRST_ARRAY 8u

static inline size_t stride(const MPIR_Pool *pool)
{
    return MPIR_POOL_STRIDE(pool->object_size);
}

static inline MPIR_Object *object_at(const MPIR_Pool *pool, void *block, unsigned index)
{
    return (MPIR_Object *) ((char *) block + index * stride(pool));
}

/* Where a free object keeps the link to the next. */
static inline void **link_of(void *object)
{
    return (void **) ((char *) object + sizeof(MPIR_Object));
}

/* ---- looking up ------------------------------------------------------------------------------ */

static MPIR_Object *builtin_at(const MPIR_Pool *pool, int handle)
{
    unsigned index = MPIR_HANDLE_BUILTIN_INDEX(handle);

    if (index >= pool->n_builtin)
        return NULL;
    MPIR_Object *o = (MPIR_Object *) ((char *) pool->builtin + index * pool->object_size);
    return o->handle == handle ? o : NULL;
}

void *MPIR_Pool_get(const MPIR_Pool *pool, int handle)
{
    if (MPL_UNLIKELY((unsigned) handle >> 26 == (MPIR_HANDLE_BUILTIN << 4 | (unsigned) pool->type))) {
        MPIR_Object *o = builtin_at(pool, handle);
        return o && atomic_load_explicit(&o->ref, memory_order_relaxed) > 0 ? o : NULL;
    }
    return MPIR_Pool_get_made(pool, handle, pool->type, pool->object_size);
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Room for one pointer more in pool->blocks. Arrays have FIRST_ARRAY << k entries and, after them, a link to the
 * array that they replaced (which keeps the old ones reachable, for leak checkers). */
static bool make_room(MPIR_Pool *pool)
{
    unsigned n = pool->n_blocks;
    bool full = n == 0 || (n >= FIRST_ARRAY && (n & (n - 1)) == 0);

    if (!full)
        return true;
    unsigned room = n == 0 ? FIRST_ARRAY : 2 * n;
    void **array = calloc(room + 1, sizeof(void *));
    if (!array)
        return false;
    if (n > 0)
        memcpy(array, pool->blocks, n * sizeof(void *));
    array[room] = pool->blocks;
    __atomic_store_n(&pool->blocks, array, __ATOMIC_RELEASE);
    return true;
}

static bool add_block(MPIR_Pool *pool)
{
    unsigned block = pool->n_blocks;

    if (block >= MAX_BLOCKS || !make_room(pool))
        return false;
    unsigned n = MPIR_Pool_block_objects(block);
    char *storage = NULL;
    if (posix_memalign((void **) &storage, MPL_CACHE_LINE, n * stride(pool)) != 0)
        return false;
    /* Backwards, so that handles are given out in ascending order. */
    for (unsigned i = n; i-- > 0;) {
        MPIR_Object *o = object_at(pool, storage, i);
        o->handle =
            (int) (MPIR_HANDLE_INDIRECT << 30 | (unsigned) pool->type << 26 | block << 12 | i);
        atomic_init(&o->ref, 0);
        *link_of(o) = pool->free_list;
        pool->free_list = o;
    }
    pool->blocks[block] = storage;
    /* Pairs with the acquire in MPIR_Pool_get(): objects and array before the count. */
    __atomic_store_n(&pool->n_blocks, block + 1, __ATOMIC_RELEASE);
    return true;
}

/* ---- allocating and freeing ------------------------------------------------------------------ */

static inline void lock(MPIR_Pool *pool)
{
    if (pool->locked)
        pthread_mutex_lock(&pool->lock);
}

static inline void unlock(MPIR_Pool *pool)
{
    if (pool->locked)
        pthread_mutex_unlock(&pool->lock);
}

void *MPIR_Pool_alloc(MPIR_Pool *pool)
{
    MPIR_Object *o = NULL;

    lock(pool);
    if (pool->free_list || add_block(pool)) {
        o = pool->free_list; /* the one freed last: its lines are still in the cache */
        pool->free_list = *link_of(o);
        pool->in_use++;
    }
    unlock(pool);
    if (!o)
        return NULL;
    memset((char *) o + sizeof(MPIR_Object), 0, pool->object_size - sizeof(MPIR_Object));
    atomic_store_explicit(&o->ref, 1, memory_order_release);
    return o;
}

void MPIR_Pool_free(MPIR_Pool *pool, void *object)
{
    MPIR_Object *o = object;

    atomic_store_explicit(&o->ref, 0, memory_order_relaxed);
    lock(pool);
    *link_of(o) = pool->free_list;
    pool->free_list = o;
    pool->in_use--;
    unlock(pool);
}

void MPIR_Pool_each(MPIR_Pool *pool, void (*visit)(void *object, void *arg), void *arg)
{
    /* Not under the lock: visit may free the object. */
    unsigned n_blocks = __atomic_load_n(&pool->n_blocks, __ATOMIC_ACQUIRE);
    void **blocks = __atomic_load_n(&pool->blocks, __ATOMIC_ACQUIRE);

    for (unsigned b = 0; b < n_blocks; b++) {
        for (unsigned i = 0; i < MPIR_Pool_block_objects(b); i++) {
            MPIR_Object *o = object_at(pool, blocks[b], i);
            if (atomic_load_explicit(&o->ref, memory_order_acquire) > 0)
                visit(o, arg);
        }
    }
}
