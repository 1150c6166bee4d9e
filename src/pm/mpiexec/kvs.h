/* A table of names and values for the PMI server. Knows nothing of PMI. */
#ifndef PM_KVS_H_INCLUDED
#define PM_KVS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

typedef struct PM_kvs PM_kvs;

/* A table that takes at most max_bytes of keys and values. NULL: out of memory. */
PM_kvs *PM_kvs_new(size_t max_bytes);
void PM_kvs_free(PM_kvs *kvs);

/* Set or replace. False: the table is full, or out of memory. */
bool PM_kvs_set(PM_kvs *kvs, const char *key, const char *value);

/* The value, until the key is set again, or NULL. */
const char *PM_kvs_get(const PM_kvs *kvs, const char *key);

/* False: it was not there. */
bool PM_kvs_remove(PM_kvs *kvs, const char *key);

#endif /* PM_KVS_H_INCLUDED */
