/* Hash table with chains. See kvs.h. */
#include "kvs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpl.h"

typedef struct Entry {
    struct Entry *next;
    uint64_t hash;
    char *value;
    char key[];
} Entry;

struct PM_kvs {
    size_t bytes, max_bytes;
    size_t count, buckets; /* buckets: a power of two */
    Entry **bucket;
};

PM_kvs *PM_kvs_new(size_t max_bytes)
{
    PM_kvs *kvs = calloc(1, sizeof(*kvs));

    if (!kvs)
        return NULL;
    kvs->max_bytes = max_bytes;
    kvs->buckets = 64;
    kvs->bucket = calloc(kvs->buckets, sizeof(*kvs->bucket));
    if (!kvs->bucket) {
        free(kvs);
        return NULL;
    }
    return kvs;
}

static void free_entry(Entry *e)
{
    free(e->value);
    free(e);
}

void PM_kvs_free(PM_kvs *kvs)
{
    if (!kvs)
        return;
    for (size_t i = 0; i < kvs->buckets; i++) {
        while (kvs->bucket[i]) {
            Entry *e = kvs->bucket[i];
            kvs->bucket[i] = e->next;
            free_entry(e);
        }
    }
    free(kvs->bucket);
    free(kvs);
}

/* The link that points to the entry, or to NULL at the end of its chain. */
static Entry **find(const PM_kvs *kvs, const char *key, uint64_t hash)
{
    Entry **link = &kvs->bucket[hash & (kvs->buckets - 1)];

    while (*link && ((*link)->hash != hash || strcmp((*link)->key, key) != 0))
        link = &(*link)->next;
    return link;
}

static uint64_t hash_of(const char *key)
{
    return MPL_hash(key, strlen(key), MPL_HASH_SEED);
}

/* Twice as many buckets; if there is no memory for that, chains are just longer. */
static void grow(PM_kvs *kvs)
{
    size_t buckets = kvs->buckets * 2;
    Entry **bucket = calloc(buckets, sizeof(*bucket));

    if (!bucket)
        return;
    for (size_t i = 0; i < kvs->buckets; i++) {
        while (kvs->bucket[i]) {
            Entry *e = kvs->bucket[i];
            kvs->bucket[i] = e->next;
            e->next = bucket[e->hash & (buckets - 1)];
            bucket[e->hash & (buckets - 1)] = e;
        }
    }
    free(kvs->bucket);
    kvs->bucket = bucket;
    kvs->buckets = buckets;
}

static bool replace(PM_kvs *kvs, Entry *e, const char *value)
{
    size_t before = strlen(e->value), after = strlen(value);

    if (after > before && kvs->bytes + (after - before) > kvs->max_bytes)
        return false;
    char *copy = strdup(value);
    if (!copy)
        return false;
    free(e->value);
    e->value = copy;
    kvs->bytes += after - before;
    return true;
}

/* What an entry costs, its own memory included, so that many empty ones count. */
static size_t cost(const char *key, const char *value)
{
    return sizeof(Entry) + strlen(key) + strlen(value) + 2;
}

bool PM_kvs_set(PM_kvs *kvs, const char *key, const char *value)
{
    uint64_t hash = hash_of(key);
    Entry **link = find(kvs, key, hash);

    if (*link)
        return replace(kvs, *link, value);
    if (kvs->bytes + cost(key, value) > kvs->max_bytes)
        return false;
    Entry *e = malloc(sizeof(*e) + strlen(key) + 1);
    char *copy = strdup(value);
    if (!e || !copy) {
        free(e);
        free(copy);
        return false;
    }
    strcpy(e->key, key);
    *e = (Entry) { .hash = hash, .value = copy };
    *link = e;
    kvs->bytes += cost(key, value);
    if (++kvs->count > kvs->buckets * 2)
        grow(kvs);
    return true;
}

const char *PM_kvs_get(const PM_kvs *kvs, const char *key)
{
    const Entry *e = *find(kvs, key, hash_of(key));

    return e ? e->value : NULL;
}

bool PM_kvs_remove(PM_kvs *kvs, const char *key)
{
    Entry **link = find(kvs, key, hash_of(key));
    Entry *e = *link;

    if (!e)
        return false;
    *link = e->next;
    kvs->bytes -= cost(e->key, e->value);
    kvs->count--;
    free_entry(e);
    return true;
}
