/* Schedules: a collective algorithm is written once, as the builder of a schedule of steps, and serves the blocking,
 * nonblocking and persistent forms (src/mpi/coll). */
#ifndef MPIR_SCHED_H_INCLUDED
#define MPIR_SCHED_H_INCLUDED

#include "mpi.h"
#include "mpir_comm.h"
#include "mpir_request.h"

typedef struct MPIR_Sched MPIR_Sched;

/* Build: steps are added in order; a step starts when all steps before the last fence are done. Buffers stay the
 * caller's until the schedule has run. Builders do not check for errors step by step: the first one (out of memory) is
 * remembered and returned by MPIR_Sched_run/_start. */
MPIR_Sched *MPIR_Sched_create(MPIR_Comm *comm);
/* The same among a part of the members, who agree on a tag; others are not involved (MPIR_CTX_PART). */
MPIR_Sched *MPIR_Sched_create_part(MPIR_Comm *comm, int tag);
/* What it is, for people who look into a hang: a literal like "MPI_Barrier". */
void MPIR_Sched_name(MPIR_Sched *s, const char *what);
void MPIR_Sched_send(MPIR_Sched *s, const void *buf, MPI_Count count, MPI_Datatype dt, int dest);
void MPIR_Sched_recv(MPIR_Sched *s, void *buf, MPI_Count count, MPI_Datatype dt, int src);
void MPIR_Sched_reduce(MPIR_Sched *s, const void *in, void *inout, MPI_Count count, MPI_Datatype dt,
                       MPI_Op op);
/* Copy one message; struct instead of six arguments. */
typedef struct MPIR_Sched_copy_args {
    const void *src;
    MPI_Count scount;
    MPI_Datatype sdt;
    void *dst;
    MPI_Count dcount;
    MPI_Datatype ddt;
} MPIR_Sched_copy_args;
void MPIR_Sched_copy(MPIR_Sched *s, const MPIR_Sched_copy_args *args);
/* Call fn(arg) (to finish a communicator, say). fn returns MPI_SUCCESS or an error code. */
void MPIR_Sched_call(MPIR_Sched *s, int (*fn)(void *arg), void *arg);
/* Later steps wait for all earlier ones. */
void MPIR_Sched_fence(MPIR_Sched *s);
/* Memory that is freed with the schedule; NULL when out of memory (remembered). */
void *MPIR_Sched_alloc(MPIR_Sched *s, size_t size);

/* Run to the end and free (blocking collectives). */
int MPIR_Sched_run(MPIR_Sched *s);
/* Start; the request completes when all steps are done and frees the schedule. */
int MPIR_Sched_start(MPIR_Sched *s, MPIR_Request **req);
/* Advance what is started; called by the device's progress if there is something to advance. Returns true if anything
 * moved. */
typedef struct MPIR_Sched_list {
    MPIR_Sched *all; /* started and not done */
    MPIR_Sched *ready; /* of these, those whose phase is over */
    bool advancing; /* a step's callback may wait, and so come here again */
} MPIR_Sched_list;
extern MPIR_Sched_list MPIR_Sched_started; /* belongs to the epoch: MPIR_Sched_drop_all() empties it */
bool MPIR_Sched_progress(void);
/* End of an epoch: forget what was started and not waited for. After MPIR_Request_drop_all(). */
void MPIR_Sched_drop_all(void);

/* Collectives on the inside (communicator creation and so on): blocking, over comm's collective context. */
int MPIR_Bcast_intra(void *buf, MPI_Count count, MPI_Datatype dt, int root, MPIR_Comm *comm);
int MPIR_Allgather_intra(const void *sendbuf, void *recvbuf, MPI_Count bytes_each, MPIR_Comm *comm);
int MPIR_Barrier_intra(MPIR_Comm *comm);

#endif /* MPIR_SCHED_H_INCLUDED */
