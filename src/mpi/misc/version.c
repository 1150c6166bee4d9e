/* Versions, and what kind of library this is (MPI-5.0 9.1, 20). */
#include <stdio.h>
#include <stdlib.h>

#include "mpi.h"
#include "mpichconf.h"
#include "mpir_err.h"
#include "mpir_impl.h"
#include "mpir_info.h"

int MPIR_Get_version_impl(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int MPIR_Get_library_version_impl(char *version, int *resultlen)
{
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                          "Perennial MPI %s (MPI %d.%d, MPICH ABI, device ch4)", PACKAGE_VERSION,
                          MPI_VERSION, MPI_SUBVERSION);
    return MPI_SUCCESS;
}

/* The library serves the MPICH ABI and not the standard one: -1 says so (MPI-5.0 20.2). */
int MPIR_Abi_get_version_impl(int *abi_major, int *abi_minor)
{
    *abi_major = -1;
    *abi_minor = -1;
    return MPI_SUCCESS;
}

/* Sizes of the types that an ABI fixes. */
int MPIR_Abi_get_info_impl(MPIR_Info **info)
{
    static const struct {
        const char *key;
        size_t size;
    } field[] = {
        { "mpi_aint_size", sizeof(MPI_Aint) },
        { "mpi_count_size", sizeof(MPI_Count) },
        { "mpi_offset_size", sizeof(MPI_Offset) },
    };
    MPIR_Info *made = MPIR_Info_new();
    if (!made)
        return MPIR_Err("**nomem", sizeof(MPIR_Info));
    for (size_t i = 0; i < MPL_ARRAY_SIZE(field); i++) {
        char size[8];
        snprintf(size, sizeof(size), "%zu", field[i].size);
        int err = MPIR_Info_put(made, field[i].key, size);
        if (err) {
            MPIR_Info_delete(made);
            return err;
        }
    }
    *info = made;
    return MPI_SUCCESS;
}
