/* Info objects: ordered lists of (key, value), short enough to be searched from the front.
 *
 * Owns their storage. Called by the bindings at any time and from any thread, and by every layer that takes hints.
 * One lock guards the contents of all of them: nobody reads hints on a fast path.
 */
#include "mpi.h"
#include "mpir_err.h"
#include "mpir_impl.h"
#include "mpir_info.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Lengths without the terminating zero: the standard counts it in. */
enum { KEY_MAX = MPI_MAX_INFO_KEY - 1, VALUE_MAX = MPI_MAX_INFO_VAL - 1 };

/* All of these live with the process, but MPI_INFO_ENV is in use (ref > 0) only while the world is active. */
MPIR_Info MPIR_Info_builtin[2] = {
    [1] = { .obj = { .handle = MPIR_HANDLE_MAKE_BUILTIN(MPIR_INFO, 1) } },
};
MPIR_Pool MPIR_Info_pool = MPIR_POOL_INIT(MPIR_INFO, MPIR_Info, MPIR_Info_builtin, 2, true);

static struct {
    pthread_mutex_t lock;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the list; the lock is held, or the object is known to no other thread ---------------------- */

static MPIR_Info_entry *find(const MPIR_Info *info, const char *key)
{
    for (int i = 0; i < info->n; i++) {
        if (strcmp(info->entry[i].key, key) == 0)
            return &info->entry[i];
    }
    return NULL;
}

static bool grow(MPIR_Info *info)
{
    int room = info->room ? 2 * info->room : 8;
    MPIR_Info_entry *entry = realloc(info->entry, (size_t) room * sizeof(*entry));

    if (!entry)
        return false;
    info->entry = entry;
    info->room = room;
    return true;
}

/* False when out of memory; then nothing has changed. */
static bool set(MPIR_Info *info, const char *key, const char *value)
{
    MPIR_Info_entry *e = find(info, key);
    char *value_copy = strdup(value);

    if (!value_copy)
        return false;
    if (e) {
        free(e->value);
        e->value = value_copy;
        return true;
    }
    char *key_copy = strdup(key);
    if (!key_copy || (info->n == info->room && !grow(info)))
        goto err_free;
    info->entry[info->n++] = (MPIR_Info_entry) { key_copy, value_copy };
    return true;

err_free:
    free(key_copy);
    free(value_copy);
    return false;
}

static void empty(MPIR_Info *info)
{
    for (int i = 0; i < info->n; i++) {
        free(info->entry[i].key);
        free(info->entry[i].value);
    }
    free(info->entry);
    info->entry = NULL;
    info->n = info->room = 0;
}

static void lock(void)
{
    pthread_mutex_lock(&state.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

/* ---- for the rest of the library --------------------------------------------------------------- */

MPIR_Info *MPIR_Info_new(void)
{
    return MPIR_Pool_alloc(&MPIR_Info_pool);
}

MPIR_Info *MPIR_Info_copy(const MPIR_Info *info)
{
    MPIR_Info *copy = MPIR_Info_new();
    bool ok = copy != NULL;

    lock();
    for (int i = 0; ok && i < info->n; i++)
        ok = set(copy, info->entry[i].key, info->entry[i].value);
    unlock();
    if (!ok && copy) {
        MPIR_Info_delete(copy);
        return NULL;
    }
    return copy;
}

void MPIR_Info_delete(MPIR_Info *info)
{
    empty(info);
    MPIR_Pool_free(&MPIR_Info_pool, info);
}

const char *MPIR_Info_lookup(const MPIR_Info *info, const char *key)
{
    lock();
    const MPIR_Info_entry *e = find(info, key);
    const char *value = e ? e->value : NULL;
    unlock();
    return value;
}

static int check_key(const char *key)
{
    if (!key)
        return MPIR_Err("**info_key_null", (int) KEY_MAX);
    size_t len = strlen(key);
    if (len == 0 || len > KEY_MAX)
        return MPIR_Err("**info_key_len", len, (int) KEY_MAX);
    return MPI_SUCCESS;
}

int MPIR_Info_put(MPIR_Info *info, const char *key, const char *value)
{
    int rc = check_key(key);

    if (rc != MPI_SUCCESS)
        return rc;
    if (!value)
        return MPIR_Err("**info_value_null", key, (int) VALUE_MAX);
    size_t len = strlen(value);
    if (len > VALUE_MAX)
        return MPIR_Err("**info_value_len", key, len, (int) VALUE_MAX);
    lock();
    bool ok = set(info, key, value);
    unlock();
    return ok ? MPI_SUCCESS : MPIR_Err("**nomem", strlen(key) + len + 2);
}

int MPIR_Info_open_env(int argc, char *const *argv)
{
    MPIR_Info *env = &MPIR_Info_builtin[1];
    int rc = MPIR_Info_fill_env(env, argc, argv);

    if (rc != MPI_SUCCESS) {
        empty(env);
        return rc;
    }
    atomic_store(&env->obj.ref, 1);
    return MPI_SUCCESS;
}

void MPIR_Info_close_env(void)
{
    MPIR_Info *env = &MPIR_Info_builtin[1];

    atomic_store(&env->obj.ref, 0);
    lock();
    empty(env);
    unlock();
}

/* ---- the MPI calls ----------------------------------------------------------------------------- */

int MPIR_Info_create_impl(MPIR_Info **info)
{
    MPIR_Info *fresh = MPIR_Info_new();

    if (!fresh)
        return MPIR_Err("**nomem", sizeof(*fresh));
    *info = fresh;
    return MPI_SUCCESS;
}

int MPIR_Info_create_env_impl(int argc, char *argv[], MPIR_Info **info)
{
    MPIR_Info *fresh = MPIR_Info_new();

    if (!fresh)
        return MPIR_Err("**nomem", sizeof(*fresh));
    int rc = MPIR_Info_fill_env(fresh, argc, argv);
    if (rc != MPI_SUCCESS) {
        MPIR_Info_delete(fresh);
        return rc;
    }
    *info = fresh;
    return MPI_SUCCESS;
}

int MPIR_Info_dup_impl(MPIR_Info *info, MPIR_Info **newinfo)
{
    MPIR_Info *copy = MPIR_Info_copy(info);

    if (!copy)
        return MPIR_Err("**nomem", sizeof(*copy) + (size_t) info->n * sizeof(*info->entry));
    *newinfo = copy;
    return MPI_SUCCESS;
}

int MPIR_Info_free_impl(MPIR_Info *info)
{
    if (MPIR_HANDLE_KIND(info->obj.handle) == MPIR_HANDLE_BUILTIN)
        return MPIR_Err("**info_permanent");
    MPIR_Info_delete(info);
    return MPI_SUCCESS;
}

int MPIR_Info_set_impl(MPIR_Info *info, const char *key, const char *value)
{
    return MPIR_Info_put(info, key, value);
}

int MPIR_Info_delete_impl(MPIR_Info *info, const char *key)
{
    int rc = check_key(key);

    if (rc != MPI_SUCCESS)
        return rc;
    lock();
    MPIR_Info_entry *e = find(info, key);
    if (e) {
        free(e->key);
        free(e->value);
        info->n--;
        memmove(e, e + 1, (size_t) (info->entry + info->n - e) * sizeof(*e));
    }
    int n = info->n;
    unlock();
    return e ? MPI_SUCCESS : MPIR_Err("**info_nokey", key, n);
}

/* Copy the value of key to value[0 .. room - 1], cut and terminated; *len is its whole length, or -1 if key is not
 * set. room <= 0: only the length. */
static int read_value(const MPIR_Info *info, const char *key, char *value, int room, int *len)
{
    int rc = check_key(key);

    if (rc != MPI_SUCCESS)
        return rc;
    lock();
    const MPIR_Info_entry *e = find(info, key);
    *len = e ? (int) strlen(e->value) : -1;
    if (e && room > 0 && value)
        MPL_strcpy(value, (size_t) room, e->value);
    unlock();
    return MPI_SUCCESS;
}

int MPIR_Info_get_impl(MPIR_Info *info, const char *key, int valuelen, char *value, int *flag)
{
    int len;

    if (valuelen < 0)
        return MPIR_Err("**info_buflen", valuelen);
    /* Here the length leaves out the terminating zero, for which there is room. */
    int room = valuelen < VALUE_MAX ? valuelen + 1 : VALUE_MAX + 1;
    int rc = read_value(info, key, value, room, &len);
    if (rc == MPI_SUCCESS)
        *flag = len >= 0;
    return rc;
}

int MPIR_Info_get_valuelen_impl(MPIR_Info *info, const char *key, int *valuelen, int *flag)
{
    int len;
    int rc = read_value(info, key, NULL, 0, &len);

    if (rc != MPI_SUCCESS)
        return rc;
    if (len >= 0)
        *valuelen = len;
    *flag = len >= 0;
    return MPI_SUCCESS;
}

int MPIR_Info_get_string_impl(MPIR_Info *info, const char *key, int *buflen, char *value, int *flag)
{
    int len;

    if (*buflen < 0)
        return MPIR_Err("**info_buflen", *buflen);
    int rc = read_value(info, key, value, *buflen, &len);
    if (rc != MPI_SUCCESS)
        return rc;
    if (len >= 0)
        *buflen = len + 1;
    *flag = len >= 0;
    return MPI_SUCCESS;
}

int MPIR_Info_get_nkeys_impl(MPIR_Info *info, int *nkeys)
{
    lock();
    *nkeys = info->n;
    unlock();
    return MPI_SUCCESS;
}

int MPIR_Info_get_nthkey_impl(MPIR_Info *info, int n, char *key)
{
    lock();
    int count = info->n;
    if (n >= 0 && n < count)
        strcpy(key, info->entry[n].key);
    unlock();
    return n >= 0 && n < count ? MPI_SUCCESS : MPIR_Err("**info_nthkey", n, count - 1, count);
}
