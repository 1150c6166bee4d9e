/* Process sets: two that always exist, and those that the launcher names. Their order never changes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpir_err.h"
#include "mpir_init.h"
#include "mpir_pmi.h"
#include "mpir_process.h"

enum { PSET_WORLD, PSET_SELF, PSET_FIRST_NAMED };

int MPII_Pset_count(void)
{
    return PSET_FIRST_NAMED + MPIR_Pmi_pset_count();
}

const char *MPII_Pset_name(int i)
{
    if (i < 0 || i >= MPII_Pset_count())
        return NULL;
    if (i == PSET_WORLD)
        return "mpi://WORLD";
    if (i == PSET_SELF)
        return "mpi://SELF";
    return MPIR_Pmi_pset_name(i - PSET_FIRST_NAMED);
}

int MPII_Pset_find(const char *name)
{
    if (strcmp(name, "mpi://WORLD") == 0)
        return PSET_WORLD; /* without asking the launcher for others */
    if (strcmp(name, "mpi://SELF") == 0)
        return PSET_SELF;
    for (int i = PSET_FIRST_NAMED; i < MPII_Pset_count(); i++)
        if (strcmp(name, MPII_Pset_name(i)) == 0)
            return i;
    return -1;
}

/* One element of a rank list, "3" or "2-5", cut to the ranks of the job. Returns the text behind it; what the launcher
 * wrote has been checked by it, so that anything else ends the list. */
static const char *next_range(const char *text, int *low, int *high)
{
    char *end;
    long a = strtol(text, &end, 10);
    if (end == text)
        return NULL;
    long b = a;
    if (*end == '-')
        b = strtol(end + 1, &end, 10);
    *low = (int) MPL_MAX(a, 0);
    *high = (int) MPL_MIN(b, MPIR_Process.size - 1);
    return *end == ',' ? end + 1 : end;
}

/* Write down the members of a named set; ranks may be NULL: count only. */
static int walk(int i, int *ranks)
{
    int n = 0, low, high;
    const char *text = MPIR_Pmi_pset_ranks(i - PSET_FIRST_NAMED);
    while (text && *text && (text = next_range(text, &low, &high))) {
        for (int r = low; ranks && r <= high; r++)
            ranks[n + r - low] = r;
        n += MPL_MAX(high - low + 1, 0);
    }
    return n;
}

bool MPII_Pset_is_run(int i, int *first)
{
    int last;
    const char *end = next_range(MPIR_Pmi_pset_ranks(i - PSET_FIRST_NAMED), first, &last);
    return end && !*end && *first <= last;
}

int MPII_Pset_size(int i)
{
    if (i == PSET_WORLD)
        return MPIR_Process.size;
    return i == PSET_SELF ? 1 : walk(i, NULL);
}

void MPII_Pset_members(int i, int *ranks)
{
    walk(i, ranks);
}

bool MPIR_Pset_has_me(const char *name)
{
    int low, high, i = MPII_Pset_find(name);
    if (i < PSET_FIRST_NAMED)
        return i >= 0;
    const char *text = MPIR_Pmi_pset_ranks(i - PSET_FIRST_NAMED);
    while (text && *text && (text = next_range(text, &low, &high)))
        if (low <= MPIR_Process.rank && MPIR_Process.rank <= high)
            return true;
    return false;
}
