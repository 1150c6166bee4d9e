/* mpi_memory_alloc_kinds (MPI-5.0 11.4.3): which kinds of memory a session promises to accept. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mpir_init.h"
#include "mpl.h"

/* Does item[0..n) equal word? */
static bool is_word(const char *item, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(item, word, n) == 0;
}

static bool is_mpi_restrictor(const char *item, size_t n)
{
    return is_word(item, n, "alloc_mem") || is_word(item, n, "win_allocate")
        || is_word(item, n, "win_allocate_shared");
}

/* "system", or "mpi" with any of its restrictors behind colons. */
static bool is_supported(const char *item, size_t n)
{
    if (is_word(item, n, "system") || is_word(item, n, "mpi"))
        return true;
    if (n < 4 || memcmp(item, "mpi:", 4) != 0)
        return false;
    const char *end = item + n;
    for (const char *p = item + 4; p <= end;) {
        const char *colon = memchr(p, ':', (size_t) (end - p));
        const char *stop = colon ? colon : end;
        if (!is_mpi_restrictor(p, (size_t) (stop - p)))
            return false;
        p = stop + 1;
    }
    return true;
}

static void append(char *list, const char *item, size_t n)
{
    size_t used = strlen(list);
    if (used > 0)
        list[used++] = ',';
    memcpy(list + used, item, n);
    list[used + n] = '\0';
}

/* What was asked for and is supported comes first, spelt as asked; "mpi" and "system" always hold. */
char *MPII_Alloc_kinds(const char *requested)
{
    const char *text = requested ? requested : "";
    char *list = calloc(1, strlen(text) + sizeof(",mpi,system") + 1);
    bool has_mpi = false, has_system = false;
    if (!list)
        return NULL;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ",");
        if (is_supported(p, n)) {
            append(list, p, n);
            has_mpi |= is_word(p, n, "mpi");
            has_system |= is_word(p, n, "system");
        }
        p += n + (p[n] == ',');
    }
    if (!has_mpi)
        append(list, "mpi", strlen("mpi"));
    if (!has_system)
        append(list, "system", strlen("system"));
    return list;
}
