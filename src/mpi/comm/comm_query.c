/* What a communicator can be asked: size, rank, group, name, comparison. */
#include <string.h>

#include "comm_internal.h"
#include "mpir_impl.h"

int MPIR_Comm_size_impl(MPIR_Comm *comm, int *size)
{
    *size = comm->size;
    return MPI_SUCCESS;
}

int MPIR_Comm_rank_impl(MPIR_Comm *comm, int *rank)
{
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int MPIR_Comm_group_impl(MPIR_Comm *comm, MPIR_Group **group)
{
    MPIR_Object_add_ref(&comm->group->obj);
    *group = comm->group;
    return MPI_SUCCESS;
}

/* There are no intercommunicators yet that could say yes. */
int MPIR_Comm_test_inter_impl(MPIR_Comm *comm, int *flag)
{
    (void) comm;
    *flag = 0;
    return MPI_SUCCESS;
}

int MPIR_Comm_compare_impl(MPIR_Comm *comm1, MPIR_Comm *comm2, int *result)
{
    int ret = MPIR_Group_check_session(comm1->session, comm2->session, "comm1 and comm2"), groups;
    if (!ret)
        ret = MPIR_Group_compare_impl(comm1->group, comm2->group, &groups);
    if (ret)
        return ret;
    if (comm1 == comm2)
        *result = MPI_IDENT;
    else
        *result = groups == MPI_IDENT ? MPI_CONGRUENT : groups;
    return MPI_SUCCESS;
}

int MPIR_Comm_set_name_impl(MPIR_Comm *comm, const char *name)
{
    MPL_strcpy(comm->name, sizeof comm->name, name);
    return MPI_SUCCESS;
}

int MPIR_Comm_get_name_impl(MPIR_Comm *comm, char *name, int *resultlen)
{
    MPL_strcpy(name, MPI_MAX_OBJECT_NAME, comm->name);
    *resultlen = (int) strlen(comm->name);
    return MPI_SUCCESS;
}
