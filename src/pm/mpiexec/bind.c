/* Binding. See bind.h. The plan for user:LIST needs no topology; the others come from bind_hwloc.c.
 */
#include "bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind_impl.h"
#include "mpichconf.h"
#include "mpl.h"
#if defined(__linux__) && !defined(MPL_PORTABLE)
#include <sched.h>
#endif

bool PM_cpus_add(PM_cpus **cpus, unsigned cpu)
{
    size_t need = cpu / 8 + 1, have = *cpus ? (*cpus)->bytes : 0;

    if (need > have) {
        /* what the kernel is asked with is a multiple of its words */
        size_t bytes = MPL_ROUND_UP(need, 128);
        PM_cpus *grown = realloc(*cpus, sizeof(*grown) + bytes);
        if (!grown)
            return false;
        memset(grown->bits + have, 0, bytes - have);
        grown->bytes = bytes;
        *cpus = grown;
    }
    (*cpus)->bits[cpu / 8] |= (unsigned char) (1u << cpu % 8);
    return true;
}

bool PM_bind_add(PM_bind *plan, PM_cpus *cpus)
{
    PM_cpus **grown = cpus ? realloc(plan->cpus, (size_t) (plan->n + 1) * sizeof(*grown)) : NULL;

    if (!grown) {
        free(cpus);
        return false;
    }
    plan->cpus = grown;
    plan->cpus[plan->n++] = cpus;
    return true;
}

/* One place of a user's list: "3", "0-3" or "0+2"; returns what follows, NULL: malformed. */
static const char *take_place(const char *p, PM_cpus **cpus)
{
    for (;; p++) {
        char *end;
        if (*p < '0' || *p > '9')
            return NULL;
        unsigned long first = strtoul(p, &end, 10), last = first;
        if (*end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoul(end + 1, &end, 10);
        if (last < first || last >= PM_CPUS_MAX)
            return NULL;
        for (unsigned long cpu = first; cpu <= last; cpu++) {
            if (!PM_cpus_add(cpus, (unsigned) cpu))
                return NULL;
        }
        p = end;
        if (*p != '+')
            return p;
    }
}

static bool plan_user(const char *list, PM_bind *plan, char *error, size_t size)
{
    for (const char *p = list;; p++) {
        PM_cpus *cpus = NULL;
        p = take_place(p, &cpus);
        if (!p || (*p && *p != ',')) {
            free(cpus);
            snprintf(error, size,
                     "-bind-to: expected user:CPUS,CPUS,... with CPUS such as 3, 0-3 or 0+2, a set "
                     "for each rank, came \"user:%s\"",
                     list);
            return false;
        }
        if (!PM_bind_add(plan, cpus)) {
            snprintf(error, size, "-bind-to: out of memory");
            return false;
        }
        if (!*p)
            return true;
    }
}

bool PM_bind_plan(const char *bind_to, const char *map_by, PM_bind *plan, char *error, size_t size)
{
    *plan = (PM_bind) { 0 };
    if (!bind_to && !map_by)
        return true;
    if (bind_to && strcmp(bind_to, "none") == 0)
        return true;
#if !defined(__linux__) || defined(MPL_PORTABLE)
    snprintf(error, size, "-bind-to: this system, or this build, cannot bind processes");
    return false;
#endif
    if (bind_to && strncmp(bind_to, "user:", 5) == 0)
        return plan_user(bind_to + 5, plan, error, size);
    return PM_bind_plan_hwloc(bind_to ? bind_to : map_by, map_by, plan, error, size);
}

const PM_cpus *PM_bind_of(const PM_bind *plan, int rank)
{
    return plan->n ? plan->cpus[rank % plan->n] : NULL;
}

void PM_bind_free(PM_bind *plan)
{
    for (int i = 0; i < plan->n; i++)
        free(plan->cpus[i]);
    free(plan->cpus);
    *plan = (PM_bind) { 0 };
}

int PM_bind_me(const PM_cpus *cpus)
{
#if defined(__linux__) && !defined(MPL_PORTABLE)
    unsigned long words[PM_CPUS_MAX / 8 / sizeof(unsigned long)] = { 0 };

    for (unsigned cpu = 0; cpu < cpus->bytes * 8; cpu++) {
        if (cpus->bits[cpu / 8] >> cpu % 8 & 1)
            words[cpu / (8 * sizeof(long))] |= 1ul << cpu % (8 * sizeof(long));
    }
    return sched_setaffinity(0, sizeof(words), (const cpu_set_t *) words) == 0 ? 0 : errno;
#else
    (void) cpus;
    return ENOSYS;
#endif
}

const char *PM_cpus_text(const PM_cpus *cpus, char *text, size_t size)
{
    size_t used = 0;
    unsigned n = (unsigned) cpus->bytes * 8;

    text[0] = '\0';
    for (unsigned cpu = 0; cpu < n && used < size; cpu++) {
        unsigned first = cpu;
        if (!(cpus->bits[cpu / 8] >> cpu % 8 & 1))
            continue;
        while (cpu + 1 < n && cpus->bits[(cpu + 1) / 8] >> (cpu + 1) % 8 & 1)
            cpu++;
        used += (size_t) snprintf(text + used, size - used, first == cpu ? "%s%u" : "%s%u-%u",
                                  used ? "," : "", first, cpu);
    }
    return text;
}
