/* Clock, name of the machine, profiling level, memory (MPI-5.0 9.1, 9.2, 9.6, 15.2). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi.h"
#include "mpir_err.h"
#include "mpir_impl.h"
#include "mpir_info.h"
#include "mpl.h"

double MPIR_Wtime_impl(void)
{
    return (double) MPL_now_ns() * 1e-9;
}

/* The clock counts nanoseconds. */
double MPIR_Wtick_impl(void)
{
    return 1e-9;
}

int MPIR_Get_processor_name_impl(char *name, int *resultlen)
{
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0)
        return MPIR_Err("**hostname");
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0'; /* not promised for a name that was cut */
    *resultlen = (int) strlen(name);
    return MPI_SUCCESS;
}

/* Profiling tools put their own MPI_Pcontrol in front; the library has nothing to turn on or off. */
int MPIR_Pcontrol_impl(int level)
{
    (void) level;
    return MPI_SUCCESS;
}

/* The info key mpi_minimum_memory_alignment, or a cache line. */
static size_t alignment_of(const MPIR_Info *info)
{
    long long wish = 0;
    const char *text = info ? MPIR_Info_lookup(info, "mpi_minimum_memory_alignment") : NULL;
    if (text && !MPL_parse_int(text, 1, 1 << 30, &wish))
        wish = 0;
    size_t align = MPL_CACHE_LINE;
    while (align < (size_t) wish)
        align *= 2;
    return align;
}

int MPIR_Alloc_mem_impl(MPI_Aint size, MPIR_Info *info, void *baseptr)
{
    void *memory = NULL;
    if (size > 0 && posix_memalign(&memory, alignment_of(info), (size_t) size) != 0)
        return MPIR_Err("**alloc_mem", (long long) size);
    *(void **) baseptr = memory;
    return MPI_SUCCESS;
}

int MPIR_Free_mem_impl(void *base)
{
    free(base);
    return MPI_SUCCESS;
}
