/* src/util/pool.c: handles are checked, objects do not move, and looking up is safe while others allocate. */
#include "mpir_handle.h"
#include "utest.h"

#include <limits.h>
#include <stdlib.h>

typedef struct Thing {
    MPIR_Object obj;
    int value;
    char rest[84];
} Thing;

static Thing predefined[2] = {
    { .obj = { MPIR_HANDLE_MAKE_BUILTIN(MPIR_GROUP, 0), 1 }, .value = 100 },
    { .obj = { MPIR_HANDLE_MAKE_BUILTIN(MPIR_GROUP, 1), 0 }, .value = 101 },
};

static void objects_are_fresh_and_aligned(void)
{
    static MPIR_Pool pool = MPIR_POOL_INIT(MPIR_GROUP, Thing, NULL, 0, false);
    Thing *a = MPIR_Pool_alloc(&pool), *b = MPIR_Pool_alloc(&pool);

    UT_CHECK(a && b && a != b);
    UT_CHECK((uintptr_t) a % MPL_CACHE_LINE == 0 && (uintptr_t) b % MPL_CACHE_LINE == 0);
    UT_INT_EQ(a->obj.ref, 1);
    UT_INT_EQ(MPIR_HANDLE_KIND(a->obj.handle), MPIR_HANDLE_INDIRECT);
    UT_INT_EQ(MPIR_HANDLE_TYPE(a->obj.handle), MPIR_GROUP);
    a->value = 7;
    memset(a->rest, 'x', sizeof(a->rest));
    int handle = a->obj.handle;
    MPIR_Pool_free(&pool, a);
    UT_CHECK(MPIR_Pool_get(&pool, handle) == NULL);
    Thing *c = MPIR_Pool_alloc(&pool);
    UT_CHECK(c == a && c->obj.handle == handle && c->value == 0 &&
             c->rest[83] == 0); /* last in, first out */
    UT_INT_EQ(pool.in_use, 2);
}

static void handles_are_checked(void)
{
    static MPIR_Pool pool = MPIR_POOL_INIT(MPIR_GROUP, Thing, predefined, 2, false);
    unsigned base = MPIR_HANDLE_INDIRECT << 30 | (unsigned) MPIR_GROUP << 26;

    UT_CHECK(MPIR_Pool_get(&pool, (int) base) == NULL); /* an empty pool */
    Thing *a = MPIR_Pool_alloc(&pool);
    unsigned h = (unsigned) a->obj.handle;
    UT_CHECK(MPIR_Pool_get(&pool, (int) h) == a);
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h + 1)) == NULL);  /* not in use */
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h + 64)) == NULL); /* beyond the first block's 64 */
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h | 0xfff)) == NULL);
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h | 1 << 12)) == NULL); /* no such block */
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h | 0x3fff << 12)) == NULL);
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h ^ 1u << 26)) == NULL);   /* another type */
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h ^ 1u << 30)) == NULL);   /* direct */
    UT_CHECK(MPIR_Pool_get(&pool, (int) (h & 0x3fffffff)) == NULL); /* a null handle with bits */
    UT_CHECK(MPIR_Pool_get(&pool, predefined[0].obj.handle) == &predefined[0]);
    UT_CHECK(MPIR_Pool_get(&pool, predefined[1].obj.handle) == NULL); /* ref is 0 */
    UT_CHECK(MPIR_Pool_get(&pool, predefined[0].obj.handle + 2) == NULL);
    UT_CHECK(MPIR_Pool_get(&pool, predefined[0].obj.handle | 0x100) == NULL);
    UT_CHECK(MPIR_Pool_get(&pool, 0) == NULL && MPIR_Pool_get(&pool, -1) == NULL);
    UT_CHECK(MPIR_Pool_get(&pool, INT_MIN) == NULL && MPIR_Pool_get(&pool, INT_MAX) == NULL);
}

static void count_visit(void *object, void *arg)
{
    *(long long *) arg += ((Thing *) object)->value;
}

static void free_visit(void *object, void *pool)
{
    MPIR_Pool_free(pool, object);
}

/* Over many blocks (64 + 128 + ... + 4096 + 4096 ...) and several arrays of blocks. */
static void many_objects(void)
{
    enum { N = 100000 };
    static MPIR_Pool pool = MPIR_POOL_INIT(MPIR_REQUEST, Thing, NULL, 0, false);
    Thing **things = malloc(N * sizeof(*things));
    long long sum = 0;

    for (int i = 0; i < N; i++) {
        things[i] = MPIR_Pool_alloc(&pool);
        things[i]->value = i;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        Thing *t = MPIR_Pool_get(&pool, things[i]->obj.handle);
        wrong += t != things[i] || t->value != i;
        wrong += i > 0 && things[i]->obj.handle <= things[i - 1]->obj.handle;
    }
    UT_INT_EQ(wrong, 0);
    UT_INT_EQ(pool.in_use, N);
    MPIR_Pool_each(&pool, count_visit, &sum);
    UT_INT_EQ(sum, (long long) N * (N - 1) / 2);
    MPIR_Pool_each(&pool, free_visit, &pool);
    UT_INT_EQ(pool.in_use, 0);
    sum = 0;
    MPIR_Pool_each(&pool, count_visit, &sum);
    UT_INT_EQ(sum, 0);
    free(things);
}

/* ---- threads --------------------------------------------------------------------------------- */

static MPIR_Pool shared = MPIR_POOL_INIT(MPIR_INFO, Thing, NULL, 0, true);

static void *churn(void *arg)
{
    enum { KEEP = 400, ROUNDS = 20 };
    int *wrong = arg;
    Thing *mine[KEEP];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < KEEP; i++) {
            mine[i] = MPIR_Pool_alloc(&shared);
            *wrong += mine[i]->value != 0;
            mine[i]->value = i + 1;
        }
        for (int i = 0; i < KEEP; i++) {
            *wrong +=
                MPIR_Pool_get(&shared, mine[i]->obj.handle) != mine[i] || mine[i]->value != i + 1;
            MPIR_Pool_free(&shared, mine[i]);
        }
    }
    return NULL;
}

static void threads_share_a_locked_pool(void)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = { 0 };

    for (int i = 0; i < THREADS; i++)
        UT_INT_EQ(pthread_create(&thread[i], NULL, churn, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        UT_INT_EQ(wrong[i], 0);
    }
    UT_INT_EQ(shared.in_use, 0);
}

static void references(void)
{
    MPIR_Object o = { 0, 1 };

    MPIR_Object_add_ref(&o);
    UT_CHECK(!MPIR_Object_release(&o));
    UT_CHECK(MPIR_Object_release(&o));
}

int main(void)
{
    UT_RUN(objects_are_fresh_and_aligned);
    UT_RUN(handles_are_checked);
    UT_RUN(many_objects);
    UT_RUN(threads_share_a_locked_pool);
    UT_RUN(references);
    return UT_REPORT();
}
