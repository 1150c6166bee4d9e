/* Which rank will this process be, without a call of MPI: for tests in which some ranks behave differently before
 * they initialise it, or never do. Each launcher has a variable of its own. */
#ifndef LAUNCHED_H_INCLUDED
#define LAUNCHED_H_INCLUDED

#include <stdlib.h>

static inline int MTest_launched(const char *const *name, int otherwise)
{
    for (; *name; name++)
        if (getenv(*name))
            return atoi(getenv(*name));
    return otherwise;
}

static inline int MTest_launched_rank(void)
{
    static const char *const names[] = { "PMI_RANK", "PMI_ID", "PMIX_RANK", NULL };
    return MTest_launched(names, 0);
}

/* test/runtests tells the size; without it, what the launcher says. */
static inline int MTest_launched_size(void)
{
    static const char *const names[] = { "MTEST_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", NULL };
    return MTest_launched(names, 1);
}

#endif /* LAUNCHED_H_INCLUDED */
