/* Handles and pools: how an MPI_Comm (an int of the MPICH ABI) names an object, and where objects live.
 *
 * A handle's bits: 31-30 kind, 29-26 object type; predefined ("builtin"): index below; others
 * ("indirect"): 25-12 block, 11-0 index in the block. Each pool lives as long as the process.
 */
#ifndef MPIR_HANDLE_H_INCLUDED
#define MPIR_HANDLE_H_INCLUDED

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpl.h"

/* Object types, as in bits 29-26 of a handle (MPICH ABI). */
typedef enum MPIR_Object_type {
    MPIR_COMM = 0x1,
    MPIR_GROUP = 0x2,
    MPIR_DATATYPE = 0x3,
    MPIR_FILE = 0x4,
    MPIR_ERRHANDLER = 0x5,
    MPIR_OP = 0x6,
    MPIR_INFO = 0x7,
    MPIR_WIN = 0x8,
    MPIR_KEYVAL = 0x9,
    MPIR_REQUEST = 0xb,
    MPIR_SESSION = 0xe,
} MPIR_Object_type;

#define MPIR_HANDLE_KIND(h) ((unsigned) (h) >> 30)
#define MPIR_HANDLE_BUILTIN 1u
#define MPIR_HANDLE_DIRECT 2u
#define MPIR_HANDLE_INDIRECT 3u
#define MPIR_HANDLE_TYPE(h) (((unsigned) (h) >> 26) & 0xfu)
#define MPIR_HANDLE_BLOCK(h) (((unsigned) (h) >> 12) & 0x3fffu)
#define MPIR_HANDLE_INDEX(h) ((unsigned) (h) & 0xfffu)
#define MPIR_HANDLE_BUILTIN_INDEX(h) ((unsigned) (h) & 0xffu)
#define MPIR_HANDLE_MAKE_BUILTIN(type, index) \
    ((int) ((MPIR_HANDLE_BUILTIN << 30) | ((unsigned) (type) << 26) | (unsigned) (index)))

/* First member of every object that has a handle. ref == 0: the object is not in use. */
typedef struct MPIR_Object {
    int handle;
    _Atomic int ref;
} MPIR_Object;

/* Where the objects of one type live. Filled statically: MPIR_POOL_INIT. */
typedef struct MPIR_Pool {
    MPIR_Object_type type;
    size_t object_size;
    void *builtin; /* array of predefined objects, or NULL */
    unsigned n_builtin;
    bool locked; /* alloc/free take `lock`: for objects that any thread may make at any time */
    pthread_mutex_t lock;
    void **blocks; /* block b holds min(64 << b, 4096) objects; grown on demand, never moved or freed */
    unsigned n_blocks;
    void *free_list; /* objects not in use, linked through their storage after MPIR_Object */
    size_t in_use; /* without the predefined ones */
} MPIR_Pool;

#define MPIR_POOL_INIT(type_, ctype, builtin_, n_builtin_, locked_)                                 \
    {                                                                                              \
        .type = (type_), .object_size = sizeof(ctype), .builtin = (builtin_),                      \
        .n_builtin = (n_builtin_), .locked = (locked_), .lock = PTHREAD_MUTEX_INITIALIZER          \
    }

/* A fresh object: zeroed after the MPIR_Object, its handle set, ref = 1. NULL when memory or handles
 * have run out. */
void *MPIR_Pool_alloc(MPIR_Pool *pool);

/* Give back an object of MPIR_Pool_alloc(), whatever its ref. */
void MPIR_Pool_free(MPIR_Pool *pool, void *object);

/* The object in use that `handle` names, or NULL: wrong type, out of range, freed. Never crashes. */
void *MPIR_Pool_get(const MPIR_Pool *pool, int handle);

/* Block b holds this many objects. */
#define MPIR_POOL_FIRST_BLOCK 64u
#define MPIR_POOL_FULL_BLOCK 4096u
static inline unsigned MPIR_Pool_block_objects(unsigned block)
{
    return block < 6 ? MPIR_POOL_FIRST_BLOCK << block : MPIR_POOL_FULL_BLOCK;
}

/* Objects start on cache lines, so that two of them, used by two threads, never share one. */
#define MPIR_POOL_STRIDE(size) MPL_ROUND_UP((size_t) (size), (size_t) MPL_CACHE_LINE)

/* The same as MPIR_Pool_get(), built in where type and size are known, for handles that are not predefined; NULL also
 * for those that are. */
static inline void *MPIR_Pool_get_made(const MPIR_Pool *pool, int handle, MPIR_Object_type type, size_t size)
{
    const unsigned block = MPIR_HANDLE_BLOCK(handle), index = MPIR_HANDLE_INDEX(handle);
    if (MPL_UNLIKELY((unsigned) handle >> 26 != (MPIR_HANDLE_INDIRECT << 4 | (unsigned) type)))
        return NULL;
    /* Pairs with the release in add_block(): who sees the count sees an array that has so many. */
    if (MPL_UNLIKELY(block >= __atomic_load_n(&pool->n_blocks, __ATOMIC_ACQUIRE)
                     || index >= MPIR_Pool_block_objects(block)))
        return NULL;
    char *at = __atomic_load_n(&pool->blocks, __ATOMIC_ACQUIRE)[block];
    MPIR_Object *o = (MPIR_Object *) (void *) (at + index * MPIR_POOL_STRIDE(size));
    return MPL_LIKELY(atomic_load_explicit(&o->ref, memory_order_relaxed) > 0) ? o : NULL;
}

/* Call `visit` for each object in use that is not predefined (for the end of an epoch and for tests). */
void MPIR_Pool_each(MPIR_Pool *pool, void (*visit)(void *object, void *arg), void *arg);

/* Count references. MPIR_Object_release() gives true when the last one went: the caller frees. */
static inline void MPIR_Object_add_ref(MPIR_Object *o)
{
    atomic_fetch_add_explicit(&o->ref, 1, memory_order_relaxed);
}

static inline bool MPIR_Object_release(MPIR_Object *o)
{
    return atomic_fetch_sub_explicit(&o->ref, 1, memory_order_acq_rel) == 1;
}

#endif /* MPIR_HANDLE_H_INCLUDED */
