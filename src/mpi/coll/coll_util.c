/* What several algorithms need. */
#include "coll_internal.h"

static MPI_Aint extent_of(MPI_Datatype datatype)
{
    return MPIR_Datatype_is_builtin(datatype) ? (MPI_Aint) MPIR_Datatype_bytes(datatype, 1)
                                              : MPIR_Datatype_get(datatype)->extent;
}

void *MPII_Item(const void *buf, MPI_Count i, MPI_Datatype datatype)
{
    /* As numbers: MPI_BOTTOM is NULL, and a lower bound may lead in front of the memory. */
    return (void *) ((uintptr_t) buf + (uintptr_t) (i * extent_of(datatype)));
}

void *MPII_Scratch(MPIR_Sched *s, MPI_Count count, MPI_Datatype datatype)
{
    if (MPIR_Datatype_is_builtin(datatype))
        return MPIR_Sched_alloc(s, (size_t) MPIR_Datatype_bytes(datatype, count));
    const MPIR_Datatype *t = MPIR_Datatype_get(datatype);
    MPI_Count steps = count > 0 ? count - 1 : 0;
    MPI_Count stretch = steps * (t->extent < 0 ? -t->extent : t->extent);
    char *memory = MPIR_Sched_alloc(s, (size_t) (t->true_extent + stretch));
    /* The lowest byte of the vector comes to lie at the start of the memory. */
    MPI_Aint lowest = t->true_lb + (t->extent < 0 ? steps * t->extent : 0);
    return (void *) ((uintptr_t) memory - (uintptr_t) lowest);
}

void MPII_Copy_items(MPIR_Sched *s, const void *src, void *dst, MPI_Count count,
                     MPI_Datatype datatype)
{
    MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) { src, count, datatype, dst, count, datatype });
}

void MPII_Pack(MPIR_Sched *s, const void *buf, MPI_Count count, MPI_Datatype datatype, void *packed)
{
    MPI_Count bytes = MPIR_Datatype_bytes(datatype, count);
    MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) { buf, count, datatype, packed, bytes, MPI_BYTE });
}

void MPII_Unpack(MPIR_Sched *s, const void *packed, void *buf, MPI_Count count,
                 MPI_Datatype datatype)
{
    MPI_Count bytes = MPIR_Datatype_bytes(datatype, count);
    MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) { packed, bytes, MPI_BYTE, buf, count, datatype });
}

void MPII_Exchange(MPIR_Sched *s, MPII_Part send, MPII_Part recv)
{
    MPIR_Sched_recv(s, (void *) recv.buf, recv.count, recv.datatype, recv.peer);
    MPIR_Sched_send(s, send.buf, send.count, send.datatype, send.peer);
    MPIR_Sched_fence(s);
}
