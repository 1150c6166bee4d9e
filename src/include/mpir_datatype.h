/* Datatypes. Builtin handles carry their size (bits 15-8); derived ones are compiled when they are made. */
#ifndef MPIR_DATATYPE_H_INCLUDED
#define MPIR_DATATYPE_H_INCLUDED

#include "mpi.h"
#include "mpir_attr.h"
#include "mpir_handle.h"

struct MPIR_Type_program; /* private to src/mpi/datatype */
struct MPIR_Type_contents; /* envelope and contents, private to src/mpi/datatype */

/* They belong to no epoch: a type made in one works in a later one. */
typedef struct MPIR_Datatype {
    MPIR_Object obj; /* user's handle, requests in flight, types built from it */
    bool committed;
    bool contiguous; /* one run of size bytes from lb, and extent == size: count items are one run */
    MPI_Count size; /* bytes of data in one item */
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Count n_elements; /* basic elements in one item */
    MPI_Datatype basic; /* the one basic type it is made of, or MPI_DATATYPE_NULL if mixed */
    struct MPIR_Type_program *program; /* owned; made with the type, since types built from it point into it;
                                        * NULL for predefined types of one run */
    struct MPIR_Type_contents *contents; /* owned; NULL for predefined types of one kind of element */
    MPIR_Attr *attrs;
    int user_refs; /* handles in the user's hands: MPI_Type_get_contents() gives out the same one again */
    bool freed; /* by the user, as often as handed out; lives on in requests and other types */
    char name[MPI_MAX_OBJECT_NAME];
} MPIR_Datatype;

/* NULL if the handle names no datatype. Predefined ones (0x4c...., and the pair types 0x8c00000[0-4]) are found
 * in static tables, so this works before, between and after epochs. */
MPIR_Datatype *MPIR_Datatype_get(MPI_Datatype handle);

static inline bool MPIR_Datatype_is_builtin(MPI_Datatype d)
{
    return MPIR_HANDLE_KIND(d) == MPIR_HANDLE_BUILTIN;
}

/* Keep a type alive while a request uses it; nothing to do for builtin ones. */
void MPIR_Datatype_add_ref(MPI_Datatype d);
void MPIR_Datatype_release(MPI_Datatype d);

/* MPI_SUCCESS, or an error code if `count` items have more bytes than a count can tell, or reach further than an
 * address can. The cheap half of the check is here: no builtin type is longer than 255 bytes. */
int MPIR_Datatype_check_count_slow(MPI_Datatype d, MPI_Count count);
static inline int MPIR_Datatype_check_count(MPI_Datatype d, MPI_Count count)
{
    if (MPL_LIKELY(MPIR_Datatype_is_builtin(d) && count <= INT32_MAX))
        return MPI_SUCCESS;
    return MPIR_Datatype_check_count_slow(d, count);
}

/* Mark a new type as made by a call with MPI_Count arguments (MPI_Type_vector_c ...): MPI_Type_get_envelope_c then
 * reports large counts. */
void MPIR_Datatype_set_large(MPI_Datatype d);

/* Bytes of one item of a builtin type: its handle says. */
static inline unsigned MPIR_Datatype_builtin_size(MPI_Datatype d)
{
    return ((unsigned) d >> 8) & 0xff;
}

/* Bytes of `count` items. */
static inline MPI_Count MPIR_Datatype_bytes(MPI_Datatype d, MPI_Count count)
{
    if (MPL_LIKELY(MPIR_Datatype_is_builtin(d)))
        return count * (MPI_Count) MPIR_Datatype_builtin_size(d);
    return count * MPIR_Datatype_get(d)->size;
}

/* Is the data of `count` items one run of bytes? Then *start is where it begins relative to the buffer. */
bool MPIR_Datatype_is_run(MPI_Datatype d, MPI_Count count, MPI_Aint *start);

/* Copy bytes [offset, offset + size) of the packed form of (buf, count, d) to dst / from src. The range lies
 * within the message. Resuming at any offset is cheap (O(log) or better). */
void MPIR_Datatype_pack(const void *buf, MPI_Count count, MPI_Datatype d, MPI_Count offset, void *dst,
                        size_t size);
void MPIR_Datatype_unpack(void *buf, MPI_Count count, MPI_Datatype d, MPI_Count offset, const void *src,
                          size_t size);

/* Describe bytes [offset, offset + *size) of the message as runs of memory: fills up to *n entries, sets *n, and
 * *size to the bytes described. */
void MPIR_Datatype_iov(const void *buf, MPI_Count count, MPI_Datatype d, MPI_Count offset,
                       struct iovec *iov, int *n, size_t *size);

/* Copy a message within the process (self sends, collectives): the packed forms are the same, cut to the shorter.
 * Returns the bytes copied. */
MPI_Count MPIR_Datatype_copy(const void *src, MPI_Count scount, MPI_Datatype sd, void *dst,
                             MPI_Count dcount, MPI_Datatype dd);

#endif /* MPIR_DATATYPE_H_INCLUDED */
