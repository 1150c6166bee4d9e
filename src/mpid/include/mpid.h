/* The device interface: all that the MPI layer knows about moving messages. */
#ifndef MPID_H_INCLUDED
#define MPID_H_INCLUDED

#include "mpi.h"
#include "mpir_comm.h"
#include "mpir_request.h"

/* ---- a process's life (DESIGN: doc/architecture.md, "A process's life") ---------------------------------- */

/* Cold start, once per process: connect to the launcher, learn rank and size (into MPIR_Process), attach to the node's
 * shared memory. Local: waits for no other rank. */
int MPID_Init(void);
/* Give up what an epoch uses and keep what must survive it. Messages that arrive meanwhile are kept. Local. */
int MPID_Suspend(void);
/* Undo MPID_Suspend(). Local. */
int MPID_Resume(void);
/* Between epochs without suspending (deferred finalize): tell peers and launcher that this process is dormant, or that
 * it is back. A store each. */
void MPID_Set_dormant(bool dormant);
/* Exit hook: close transports, then the launcher connection. Local and bounded; waits for no peer. */
void MPID_Finalize(void);
/* Wait until everything this process has sent is out of its hands, so that it may exit at once. Gives up on peers that
 * are gone. */
int MPID_Flush(void);
/* End the job with this exit code: tell the launcher, then _exit. Never returns. message may be NULL. */
void MPID_Abort(int exit_code, const char *message) __attribute__((noreturn));

/* ---- messages ------------------------------------------------------------------------------------------- */

typedef enum MPID_Mode { MPID_STANDARD, MPID_SYNC, MPID_READY } MPID_Mode;

/* One message, built once at the top. rank and tag may be MPI_ANY_SOURCE / MPI_ANY_TAG in receives; MPI_PROC_NULL is
 * handled above the device. */
typedef struct MPID_Msg {
    void *buf;
    MPI_Count count;
    MPI_Datatype datatype;
    int rank, tag;
    MPIR_Comm *comm;
    uint8_t ctx_bits; /* MPIR_CTX_PT2PT or MPIR_CTX_COLL */
    uint8_t mode; /* MPID_Mode */
} MPID_Msg;

/* Start a send. *req: a request, or NULL if the buffer may be used again already and nothing is left to do. */
int MPID_Isend(const MPID_Msg *msg, MPIR_Request **req);
/* Send and wait until the buffer may be used again. */
int MPID_Send(const MPID_Msg *msg);
/* Start a receive; always a request. */
int MPID_Irecv(const MPID_Msg *msg, MPIR_Request **req);
/* Receive and wait. status may be MPI_STATUS_IGNORE. Returns the receive's error (MPI_ERR_TRUNCATE ...). */
int MPID_Recv(const MPID_Msg *msg, MPI_Status *status);
/* Is there a message to match (comm, rank, tag)? */
int MPID_Iprobe(const MPID_Msg *pattern, int *flag, MPI_Status *status);
/* Wait for one. */
int MPID_Probe(const MPID_Msg *pattern, MPI_Status *status);
/* Take a receive back if it is still unmatched; then it completes with the cancelled bit set. */
int MPID_Cancel_recv(MPIR_Request *req);

/* For src/mpi/request: what a request waits for, in words (fits MPID_Wait.what), and letting go of one that is freed
 * though it is in flight (end of an epoch). */
void MPID_Request_describe(void *req, char *text, size_t size);
void MPID_Request_forget(MPIR_Request *req);

/* ---- communicators -------------------------------------------------------------------------------------- */

/* A communicator has got its group and context id / is about to be freed (drops its unexpected messages). */
int MPID_Comm_init(MPIR_Comm *comm);
void MPID_Comm_free(MPIR_Comm *comm);

/* Bootstrap messages: how a context id reaches processes that share no communicator yet. `key` names the meeting
 * (string tag and group identity); messages of one sender with equal keys are taken in order of sending, and wait for
 * a receiver that is not in MPI yet. */
typedef struct MPID_Boot_key {
    uint64_t group_hash[2];
    int32_t group_size;
    char tag[MPI_MAX_STRINGTAG_LEN];
} MPID_Boot_key;
int MPID_Boot_send(int world_rank, const MPID_Boot_key *key, MPIR_Context_id ctx);
int MPID_Boot_recv(int world_rank, const MPID_Boot_key *key, MPIR_Context_id *ctx);

/* ---- meeting -------------------------------------------------------------------------------------------- */

/* The members of a communicator who all are on this node can meet at a place in shared memory: barriers and small
 * collectives without messages. All members do the same operations there in the same order. */

#define MPID_MEET_BYTES 2048 /* that a member can bring to an operation */
#define MPID_MEET_ALL (-1)

/* May comm have a place? The same answer at all members. */
bool MPID_Meet_possible(MPIR_Comm *comm);
/* To open it: every member says whether it can look at a place of rank 0's; if all can, rank 0 gives one, tells its
 * number to the others (its messages, not the device's), and each opens it. A number below 0: there is none. Then and
 * after an error comm never has one. */
bool MPID_Meet_can_look(MPIR_Comm *comm);
int MPID_Meet_give(MPIR_Comm *comm);
int MPID_Meet_open(MPIR_Comm *comm, int number);

/* An operation: begin, then perhaps fill the own buffer, come, wait, read others' buffers, end. */
typedef struct MPID_Meeting {
    MPIR_Comm *comm;
    const char *what; /* "MPI_Barrier", for people */
    int for_whom; /* the wait's: a rank, or MPID_MEET_ALL */
} MPID_Meeting;
/* `brings`: the own buffer is going to be written; waits until all have read what was in it. */
int MPID_Meet_begin(const MPID_Meeting *m, bool brings);
/* Of a member; each brings this many bytes to the operation. */
void *MPID_Meet_buffer(const MPIR_Comm *comm, int rank, size_t bytes);
/* Come and wait until all have come: every member does, or none. */
int MPID_Meet_all(const MPID_Meeting *m);
/* Come; those who wait for it: a rank, or all. Then, or instead, wait for one or all to have come. */
void MPID_Meet_come(MPIR_Comm *comm, int for_whom);
int MPID_Meet_wait(const MPID_Meeting *m);
void MPID_Meet_end(MPIR_Comm *comm);

/* ---- progress ------------------------------------------------------------------------------------------- */

/* One round over everything that can move; true if anything did. Never blocks. */
bool MPID_Progress_poll(void);

/* The one wait function: until done(arg). Spins, yields, sleeps; lets the library's lock go meanwhile. `what` describes
 * the wait for people who look into a hang; it is called only when the wait gets long. */
typedef struct MPID_Wait {
    bool (*done)(void *arg);
    void *arg;
    void (*what)(void *arg, char *text, size_t size); /* or NULL */
    bool watches; /* done() looks at memory of this node that others write, who wake us then: it is asked in each round */
} MPID_Wait;
int MPID_Progress_wait(const MPID_Wait *wait);

/* Description of what this thread's current MPI call is, kept by the bindings for free: a pointer store. */

#endif /* MPID_H_INCLUDED */
