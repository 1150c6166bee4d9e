/* Thread levels by name. */
#include <string.h>

#include "mpi.h"
#include "mpir_init.h"
#include "mpir_process.h"
#include "mpl.h"

static const char *const level_name[] = {
    [MPI_THREAD_SINGLE] = "MPI_THREAD_SINGLE",
    [MPI_THREAD_FUNNELED] = "MPI_THREAD_FUNNELED",
    [MPI_THREAD_SERIALIZED] = "MPI_THREAD_SERIALIZED",
    [MPI_THREAD_MULTIPLE] = "MPI_THREAD_MULTIPLE",
};

const char *MPII_Thread_level_name(int level)
{
    return level_name[level];
}

int MPII_Thread_level_parse(const char *name)
{
    for (int i = 0; i < (int) MPL_ARRAY_SIZE(level_name); i++)
        if (strcmp(name, level_name[i]) == 0)
            return i;
    return -1;
}

const char *MPIR_World_level_name(void)
{
    int level = atomic_load_explicit(&MPII_life.world_level, memory_order_relaxed);
    return level < 0 ? NULL : level_name[level];
}
