/* Error classes, codes and texts made by the user (MPI-5.0 9.5), and the calls that read any code.
 *
 * The n-th class or code is MPIR_ERR_DYNAMIC_BIT + n, which is above MPI_ERR_LASTCODE. Numbers that were removed
 * are given out again.
 */
#include "errhan.h"

#include "mpir_impl.h"
#include "mpl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DYNERR_MAX = 1 << 20 };

typedef struct Dynerr {
    int class;   /* of a code; of a class, itself; 0: not in use */
    int n_codes; /* of a class: codes that are not removed yet */
    char *text;  /* owned, or NULL */
} Dynerr;

/* Lives with the process: the user's classes and codes belong to no epoch. */
static struct {
    pthread_mutex_t lock;
    Dynerr *entry;
    int n, room;   /* n: numbers given out so far */
    int n_removed; /* of these, how many can be given out again */
} dyn = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the table; its lock is held --------------------------------------------------------------- */

static Dynerr *find(int code)
{
    int i = code & ~MPIR_ERR_DYNAMIC_BIT;

    if (!MPII_Err_is_dynamic(code) || i >= dyn.n || dyn.entry[i].class == 0)
        return NULL;
    return &dyn.entry[i];
}

static bool is_class(const Dynerr *e, int code)
{
    return e && e->class == code;
}

static bool grow(void)
{
    int room = dyn.room == 0 ? 16 : 2 * dyn.room;
    Dynerr *entry = realloc(dyn.entry, (size_t) room * sizeof(*entry));

    if (!entry)
        return false;
    dyn.entry = entry;
    dyn.room = room;
    return true;
}

/* A number that is free, or -1. */
static int new_index(void)
{
    if (dyn.n_removed > 0) {
        for (int i = 0; i < dyn.n; i++) {
            if (dyn.entry[i].class == 0) {
                dyn.n_removed--;
                return i;
            }
        }
    }
    if (dyn.n == DYNERR_MAX || (dyn.n == dyn.room && !grow()))
        return -1;
    return dyn.n++;
}

/* A new class (class 0: its own) or code; 0 when there is no more. */
static int add(int class)
{
    int i = new_index();

    if (i < 0)
        return 0;
    int code = MPIR_ERR_DYNAMIC_BIT | i;
    dyn.entry[i] = (Dynerr) { .class = class ? class : code };
    Dynerr *parent = find(class);
    if (parent)
        parent->n_codes++;
    return code;
}

static void remove_entry(Dynerr *e, int code)
{
    Dynerr *parent = e->class == code ? NULL : find(e->class);

    if (parent)
        parent->n_codes--;
    free(e->text);
    *e = (Dynerr) { .class = 0 };
    dyn.n_removed++;
}

/* ---- for the rest of this folder --------------------------------------------------------------- */

int MPII_Dynerr_class(int code)
{
    pthread_mutex_lock(&dyn.lock);
    const Dynerr *e = find(code);
    int class = e ? e->class : 0;
    pthread_mutex_unlock(&dyn.lock);
    return class;
}

bool MPII_Dynerr_text(int code, char *text, int size)
{
    pthread_mutex_lock(&dyn.lock);
    const Dynerr *e = find(code);
    if (e)
        MPL_strcpy(text, (size_t) size, e->text ? e->text : "");
    pthread_mutex_unlock(&dyn.lock);
    return e != NULL;
}

int MPIR_Err_last_used_code(void)
{
    pthread_mutex_lock(&dyn.lock);
    int code = dyn.n == 0 ? MPI_ERR_LASTCODE : MPIR_ERR_DYNAMIC_BIT | (dyn.n - 1);
    pthread_mutex_unlock(&dyn.lock);
    return code;
}

/* ---- the MPI calls ----------------------------------------------------------------------------- */

int MPIR_Add_error_class_impl(int *errorclass)
{
    pthread_mutex_lock(&dyn.lock);
    int class = add(0);
    pthread_mutex_unlock(&dyn.lock);
    if (class == 0)
        return MPIR_Err("**errcodes_full", (int) DYNERR_MAX);
    *errorclass = class;
    return MPI_SUCCESS;
}

int MPIR_Add_error_code_impl(int errorclass, int *errorcode)
{
    bool predefined = errorclass > MPI_SUCCESS && errorclass <= MPIR_ERR_CLASS_MASK &&
                      MPII_err_class_text[errorclass];

    pthread_mutex_lock(&dyn.lock);
    bool valid = predefined || is_class(find(errorclass), errorclass);
    int code = valid ? add(errorclass) : 0;
    pthread_mutex_unlock(&dyn.lock);
    if (!valid)
        return MPIR_Err("**errclass", errorclass);
    if (code == 0)
        return MPIR_Err("**errcodes_full", (int) DYNERR_MAX);
    *errorcode = code;
    return MPI_SUCCESS;
}

int MPIR_Add_error_string_impl(int errorcode, const char *string)
{
    size_t len = strlen(string);

    if (len >= MPI_MAX_ERROR_STRING)
        return MPIR_Err("**errstring_long", errorcode, len, MPI_MAX_ERROR_STRING);
    char *text = strdup(string);
    if (!text)
        return MPIR_Err("**nomem", len + 1);
    pthread_mutex_lock(&dyn.lock);
    Dynerr *e = find(errorcode);
    if (e) {
        free(e->text);
        e->text = text;
    }
    pthread_mutex_unlock(&dyn.lock);
    if (!e) {
        free(text);
        return MPIR_Err("**errstring_user", errorcode);
    }
    return MPI_SUCCESS;
}

int MPIR_Remove_error_class_impl(int errorclass)
{
    pthread_mutex_lock(&dyn.lock);
    Dynerr *e = find(errorclass);
    bool known = is_class(e, errorclass);
    int n_codes = known ? e->n_codes : 0;
    if (known && n_codes == 0)
        remove_entry(e, errorclass);
    pthread_mutex_unlock(&dyn.lock);
    if (!known)
        return MPIR_Err("**errclass_user", errorclass);
    return n_codes == 0 ? MPI_SUCCESS : MPIR_Err("**errclass_busy", errorclass, n_codes);
}

int MPIR_Remove_error_code_impl(int errorcode)
{
    pthread_mutex_lock(&dyn.lock);
    Dynerr *e = find(errorcode);
    bool known = e && !is_class(e, errorcode);
    bool busy = known && e->text;
    if (known && !busy)
        remove_entry(e, errorcode);
    pthread_mutex_unlock(&dyn.lock);
    if (!known)
        return MPIR_Err("**errcode_user", errorcode);
    return busy ? MPIR_Err("**errcode_busy", errorcode) : MPI_SUCCESS;
}

int MPIR_Remove_error_string_impl(int errorcode)
{
    pthread_mutex_lock(&dyn.lock);
    Dynerr *e = find(errorcode);
    bool known = e != NULL;
    char *text = known ? e->text : NULL;
    if (known)
        e->text = NULL;
    pthread_mutex_unlock(&dyn.lock);
    if (!known)
        return MPIR_Err("**errstring_user", errorcode);
    if (!text)
        return MPIR_Err("**errstring_none", errorcode);
    free(text);
    return MPI_SUCCESS;
}

int MPIR_Error_class_impl(int errorcode, int *errorclass)
{
    if (!MPII_Err_is_valid(errorcode))
        return MPIR_Err("**errcode", errorcode);
    *errorclass = MPIR_Err_class(errorcode);
    return MPI_SUCCESS;
}

int MPIR_Error_string_impl(int errorcode, char *string, int *resultlen)
{
    if (!MPII_Err_is_valid(errorcode))
        return MPIR_Err("**errcode", errorcode);
    MPIR_Err_text(errorcode, string, MPI_MAX_ERROR_STRING);
    *resultlen = (int) strlen(string);
    return MPI_SUCCESS;
}
