/* MPI_Pack, MPI_Unpack, MPI_Pack_size. */
#include "mpir_impl.h"
#include "type_internal.h"

/* Bytes of the message; checks that they lie between *position and the end of a buffer of `room`
 * bytes. */
static int measure(MPI_Datatype datatype, MPI_Count count, MPI_Count position, MPI_Count room,
                   MPI_Count *bytes)
{
    int err = MPIR_Datatype_check_count(datatype, count);
    if (err != MPI_SUCCESS)
        return err;
    *bytes = MPIR_Datatype_bytes(datatype, count);
    if (position < 0 || position > room || *bytes > room - position)
        return MPIR_Err("**packroom", (long long) *bytes, (long long) position, (long long) room);
    return MPI_SUCCESS;
}

int MPIR_Pack_impl(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
                   MPI_Count outsize, MPI_Count *position, MPIR_Comm *comm)
{
    (void) comm; /* all processes share one data representation */
    MPI_Count bytes;
    int err = measure(datatype, incount, *position, outsize, &bytes);
    if (err != MPI_SUCCESS)
        return err;
    MPIR_Datatype_pack(inbuf, incount, datatype, 0, (char *) ((MPI_Aint) outbuf + *position),
                       (size_t) bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

int MPIR_Unpack_impl(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                     MPI_Count outcount, MPI_Datatype datatype, MPIR_Comm *comm)
{
    (void) comm;
    MPI_Count bytes;
    int err = measure(datatype, outcount, *position, insize, &bytes);
    if (err != MPI_SUCCESS)
        return err;
    MPIR_Datatype_unpack(outbuf, outcount, datatype, 0,
                         (const char *) ((MPI_Aint) inbuf + *position), (size_t) bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

int MPIR_Pack_size_impl(MPI_Count incount, MPI_Datatype datatype, MPIR_Comm *comm, MPI_Count *size)
{
    (void) comm;
    int err = MPIR_Datatype_check_count(datatype, incount);
    if (err == MPI_SUCCESS)
        *size = MPIR_Datatype_bytes(datatype, incount);
    return err;
}
