/* Error codes and the ring of their messages. */
#include "errhan.h"

#include "mpl.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    int code;    /* 0: not used yet */
    bool placed; /* says where */
    char text[MPI_MAX_ERROR_STRING];
} Entry;

/* Lives with the process: a code of one epoch has its text in the next. */
static struct {
    pthread_mutex_t lock;
    unsigned next; /* counts messages */
    Entry entry[MPII_ERR_RING];
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

_Static_assert(MPII_ERR_RING == 1 << 8 && MPII_ERR_LAPS == 1 << 14,
               "place and lap fill bits 8-29 of a code");

/* ---- the ring; its lock is held ---------------------------------------------------------------- */

static Entry *new_entry(int class)
{
    unsigned n = ring.next++;
    unsigned place = n % MPII_ERR_RING, lap = n / MPII_ERR_RING % MPII_ERR_LAPS;
    Entry *e = &ring.entry[place];

    e->code = (int) (lap << 16 | place << 8 | MPII_ERR_MESSAGE_BIT | (unsigned) class);
    e->placed = false;
    return e;
}

/* The entry of code, or NULL if a later message has taken its place. */
static Entry *find_entry(int code)
{
    if (code <= 0 || MPII_Err_is_dynamic(code) || !(code & MPII_ERR_MESSAGE_BIT))
        return NULL;
    Entry *e = &ring.entry[(code >> 8) % MPII_ERR_RING];
    return e->code == code ? e : NULL;
}

/* ---- making codes ------------------------------------------------------------------------------ */

static int compare_key(const void *key, const void *message)
{
    return strcmp(key, ((const MPII_Err_message *) message)->key);
}

int MPIR_Err(const char *key, ...)
{
    const MPII_Err_message *m =
        bsearch(key, MPII_err_messages, (size_t) MPII_err_message_count, sizeof(*m), compare_key);

    pthread_mutex_lock(&ring.lock);
    Entry *e = new_entry(m ? m->class : MPI_ERR_INTERN);
    if (m) {
        va_list args;
        va_start(args, key);
        vsnprintf(e->text, sizeof(e->text), m->format, args);
        va_end(args);
    } else {
        snprintf(e->text, sizeof(e->text), "Internal error: no message has the key %s", key);
    }
    int code = e->code;
    pthread_mutex_unlock(&ring.lock);
    return code;
}

/* "where: text", where `where` is cut if both do not fit: the message matters more than the arguments. */
static void put_before(char text[MPI_MAX_ERROR_STRING], const char *where)
{
    static const char between[] = ": ", cut[] = "...)";
    const size_t between_len = sizeof(between) - 1, cut_len = sizeof(cut) - 1;
    size_t text_len = strlen(text), len = strlen(where);

    if (text_len + between_len + cut_len >= MPI_MAX_ERROR_STRING)
        return;
    size_t room = MPI_MAX_ERROR_STRING - 1 - text_len - between_len;
    size_t n = MPL_MIN(len, room);
    memmove(text + n + between_len, text, text_len + 1);
    memcpy(text, where, n);
    memcpy(text + n, between, between_len);
    if (n < len)
        memcpy(text + n - cut_len, cut, cut_len);
}

bool MPII_Err_place(int code, const char *where)
{
    pthread_mutex_lock(&ring.lock);
    Entry *e = find_entry(code);
    if (e && !e->placed && where) {
        put_before(e->text, where);
        e->placed = true;
    }
    bool placed = e && e->placed;
    pthread_mutex_unlock(&ring.lock);
    return placed;
}

/* ---- reading codes ----------------------------------------------------------------------------- */

bool MPII_Err_is_valid(int code)
{
    if (MPII_Err_is_dynamic(code))
        return MPII_Dynerr_class(code) != 0;
    if (code < 0 || !MPII_err_class_text[code & MPIR_ERR_CLASS_MASK])
        return false;
    return code <= MPIR_ERR_CLASS_MASK || (code & MPII_ERR_MESSAGE_BIT) != 0;
}

int MPIR_Err_class(int code)
{
    if (!MPII_Err_is_valid(code))
        return MPI_ERR_UNKNOWN;
    return MPII_Err_is_dynamic(code) ? MPII_Dynerr_class(code) : code & MPIR_ERR_CLASS_MASK;
}

void MPIR_Err_text(int code, char *text, int size)
{
    if (size <= 0)
        return;
    if (MPII_Err_is_dynamic(code) && MPII_Dynerr_text(code, text, size))
        return;
    if (!MPII_Err_is_valid(code)) {
        snprintf(text, (size_t) size, "Unknown error code %d", code);
        return;
    }
    pthread_mutex_lock(&ring.lock);
    const Entry *e = find_entry(code);
    MPL_strcpy(text, (size_t) size, e ? e->text : MPII_err_class_text[code & MPIR_ERR_CLASS_MASK]);
    pthread_mutex_unlock(&ring.lock);
}
