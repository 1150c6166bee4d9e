/* Private to src/mpi/coll: the inside of a schedule. */
#ifndef SCHED_INTERNAL_H_INCLUDED
#define SCHED_INTERNAL_H_INCLUDED

#include "mpid.h"
#include "mpir_sched.h"

typedef enum MPII_Step_kind {
    MPII_STEP_SEND,
    MPII_STEP_RECV,
    MPII_STEP_REDUCE,
    MPII_STEP_COPY,
    MPII_STEP_CALL,
    MPII_STEP_FENCE,
} MPII_Step_kind;

typedef struct MPII_Step {
    struct MPII_Step *next;
    MPII_Step_kind kind;
    int peer; /* SEND, RECV */
    const void *src;
    void *dst;
    MPI_Count count; /* of src, or of dst in RECV */
    MPI_Datatype datatype;
    union {
        MPI_Op op; /* REDUCE */
        struct {
            MPI_Count count;
            MPI_Datatype datatype;
        } to; /* COPY */
        int (*call)(void *arg); /* CALL: arg is dst */
        MPIR_Request *req; /* SEND, RECV: in flight, or NULL */
    } u;
} MPII_Step;

/* Memory comes in blocks; the first one holds the schedule itself, and most need no second. */
typedef struct MPII_Block {
    struct MPII_Block *next;
    size_t used, size; /* of bytes */
    _Alignas(16) char bytes[];
} MPII_Block;
#define MPII_BLOCK_SIZE 4096

struct MPIR_Sched {
    MPIR_Comm *comm;
    const char *what; /* "MPI_Barrier", for people */
    int tag;
    uint8_t ctx_bits; /* MPIR_CTX_COLL, or MPIR_CTX_PART with the user's tag */
    int error; /* the first one */
    int pending; /* messages of the phase that are in flight */
    bool holds; /* some datatype or operation is referred to */
    MPII_Step *first, *last;
    MPII_Step *phase; /* first step of the phase that runs */
    MPII_Step *next; /* step to do next: a fence or NULL while messages are in flight */
    MPII_Block *block; /* newest first; the last one holds this struct */
    MPIR_Request *request; /* of a started schedule */
    MPIR_Sched *ready_next; /* in the list of those that can advance */
    MPIR_Sched *all_next, **all_link; /* in the list of those that are started */
};

void MPII_Sched_free(MPIR_Sched *s);

#endif /* SCHED_INTERNAL_H_INCLUDED */
