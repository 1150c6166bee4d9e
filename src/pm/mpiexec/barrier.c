/* Barriers of groups. See barrier.h. */
#include "barrier.h"

#include <stdlib.h>
#include <string.h>

#include "mpl.h"

static void free_barrier(PM_barrier *b)
{
    free(b->name);
    free(b->place);
    free(b);
}

/* Mark the ranks of "0,2,5"; false if it is no such list. */
static bool mark_list(PM_barrier *b, const char *list, size_t len, int size)
{
    const char *end = list + len;

    while (list < end) {
        long long rank;
        char text[16];
        const char *comma = memchr(list, ',', (size_t) (end - list));
        size_t n = (size_t) ((comma ? comma : end) - list);
        if (n >= sizeof(text))
            return false;
        memcpy(text, list, n);
        text[n] = '\0';
        if (!MPL_parse_int(text, 0, size - 1, &rank))
            return false;
        if (!b->place[rank]) {
            b->place[rank] = PM_MEMBER;
            b->needed++;
        }
        list = comma ? comma + 1 : end;
    }
    return b->needed > 0;
}

/* All ranks of the job are on this node, so NODE is WORLD (but another barrier, since the name
 * differs). */
static bool mark_members(PM_barrier *b, int size)
{
    const char *colon = strrchr(b->name, ':');
    size_t len = colon ? (size_t) (colon - b->name) : strlen(b->name);

    b->tag = colon ? colon + 1 : NULL;
    if ((len == 5 && memcmp(b->name, "WORLD", 5) == 0) ||
        (len == 4 && memcmp(b->name, "NODE", 4) == 0)) {
        memset(b->place, PM_MEMBER, (size_t) size);
        b->needed = size;
        return true;
    }
    return mark_list(b, b->name, len, size);
}

static PM_barrier *make(PM_barriers *all, const char *group, const char **why)
{
    *why = "too many barriers at once";
    if (all->count == PM_BARRIERS_MAX)
        return NULL;
    *why = "out of memory";
    PM_barrier *b = calloc(1, sizeof(*b));
    if (!b)
        return NULL;
    b->name = strdup(group);
    b->place = calloc((size_t) all->size, 1);
    if (!b->name || !b->place)
        goto err_free;
    *why = "a group that is neither WORLD, NODE nor a list of ranks of this job";
    if (!mark_members(b, all->size))
        goto err_free;
    b->next = all->first;
    all->first = b;
    all->count++;
    return b;

  err_free:
    free_barrier(b);
    return NULL;
}

PM_barrier *PM_barrier_enter(PM_barriers *all, int rank, const char *group, const char **why)
{
    PM_barrier *b = all->first;

    while (b && strcmp(b->name, group) != 0)
        b = b->next;
    if (!b)
        b = make(all, group, why);
    if (!b)
        return NULL;
    if (b->place[rank] != PM_MEMBER) {
        *why = b->place[rank] ? "the same barrier twice" : "a barrier of a group that it is not in";
        if (b->entered == 0)
            PM_barrier_done(all, b);
        return NULL;
    }
    b->place[rank] = PM_ENTERED;
    b->entered++;
    return b;
}

void PM_barrier_done(PM_barriers *all, PM_barrier *barrier)
{
    for (PM_barrier **link = &all->first; *link; link = &(*link)->next) {
        if (*link == barrier) {
            *link = barrier->next;
            all->count--;
            free_barrier(barrier);
            return;
        }
    }
}

const PM_barrier *PM_barrier_missing(const PM_barriers *all, int rank)
{
    for (const PM_barrier *b = all->first; b; b = b->next) {
        if (b->place[rank] == PM_MEMBER)
            return b;
    }
    return NULL;
}

void PM_barriers_free(PM_barriers *all)
{
    while (all->first)
        PM_barrier_done(all, all->first);
}
