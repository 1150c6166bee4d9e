/* Buffers for buffered sends (MPI-5.0 3.6): at most one for each communicator, session and the
 * process, searched in that order. An attached buffer is a struct MPIR_Bsend, to which
 * MPIR_Comm.bsend and MPIR_Session.bsend point. */
#ifndef MPIR_BSEND_H_INCLUDED
#define MPIR_BSEND_H_INCLUDED

#include "mpi.h"

struct MPIR_Bsend;

/* A communicator or session goes: wait until the messages in its buffer have left, and detach it.
 * *bsend becomes NULL; nothing happens if it is NULL already. MPI_Comm_free, MPI_Comm_disconnect
 * and MPI_Session_finalize call this while communication still works. */
int MPIR_Bsend_detach_at_free(struct MPIR_Bsend **bsend);

/* The end of the epoch, for the buffer of a communicator that the user left (or NULL): its messages have
 * been flushed, and their requests have gone; it is too late to wait for any. */
void MPIR_Bsend_drop(struct MPIR_Bsend *bsend);

/* MPIR_Bsend_detach_at_free() for the buffer of the process, at MPI_Finalize and at the end of an epoch. */
int MPIR_Bsend_detach_process(void);

#endif /* MPIR_BSEND_H_INCLUDED */
