/* Hints of communicators. */
#include <string.h>

#include "comm_internal.h"
#include "mpir_impl.h"

/* Promises of the user (MPI-5.0 7.4.4), "true" or "false". They are kept and told back. */
static const char *const assertion[] = {
    "mpi_assert_no_any_tag",
    "mpi_assert_no_any_source",
    "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
};

#define ALLOC_KINDS "mpi_memory_alloc_kinds"

static bool is_truth(const char *value)
{
    return value && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
}

/* Unknown keys and values that are none are hints, too: passed over. */
int MPII_Comm_apply_info(MPIR_Comm *comm, const MPIR_Info *info)
{
    int ret = MPI_SUCCESS;
    for (size_t i = 0; info && !ret && i < MPL_ARRAY_SIZE(assertion); i++) {
        const char *value = MPIR_Info_lookup(info, assertion[i]);
        if (!is_truth(value))
            continue;
        if (!comm->info)
            comm->info = MPIR_Info_new();
        ret = comm->info ? MPIR_Info_put(comm->info, assertion[i], value)
                         : MPIR_Err("**comm_nomem", (long) MPIR_Comm_pool.in_use);
    }
    return ret;
}

int MPIR_Comm_set_info_impl(MPIR_Comm *comm, MPIR_Info *info)
{
    return MPII_Comm_apply_info(comm, info);
}

static int put_all(const MPIR_Comm *comm, MPIR_Info *info)
{
    const char *kinds = comm->session ? comm->session->alloc_kinds : NULL;
    int ret = MPIR_Info_put(info, ALLOC_KINDS, kinds ? kinds : "mpi,system");
    for (size_t i = 0; !ret && i < MPL_ARRAY_SIZE(assertion); i++) {
        const char *value = comm->info ? MPIR_Info_lookup(comm->info, assertion[i]) : NULL;
        ret = MPIR_Info_put(info, assertion[i], value ? value : "false");
    }
    return ret;
}

int MPIR_Comm_get_info_impl(MPIR_Comm *comm, MPIR_Info **info_used)
{
    MPIR_Info *info = MPIR_Info_new();
    if (!info)
        return MPIR_Err("**comm_nomem", (long) MPIR_Comm_pool.in_use);
    int ret = put_all(comm, info);
    if (ret)
        MPIR_Info_delete(info);
    else
        *info_used = info;
    return ret;
}
