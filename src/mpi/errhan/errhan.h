/* Private to src/mpi/errhan.
 *
 * Owns error codes and their messages, classes and codes made by the user, and error handlers. Called by
 * everyone (MPIR_Err) and by the bindings (MPIR_Err_return_*). Calls the device only to end the job.
 *
 * A code, bit by bit: 0-6 class, 7 set if there is a message, 8-15 its place in the ring, 16-29 which lap of the
 * ring, 30 set for the user's classes and codes (then bits 0-29 number them). So a code without bit 7 and bit 30
 * is a bare class.
 */
#ifndef ERRHAN_H_INCLUDED
#define ERRHAN_H_INCLUDED

#include "mpi.h"
#include "mpir_err.h"
#include "mpir_errhandler.h"

#define MPII_ERR_MESSAGE_BIT 0x80
#define MPII_ERR_RING 256
#define MPII_ERR_LAPS 0x4000

typedef struct MPII_Err_message {
    const char *key;
    int class;
    const char *format;
} MPII_Err_message;

/* The generated table, sorted by key, and the text of each class (NULL: there is no such class). */
extern const MPII_Err_message MPII_err_messages[];
extern const int MPII_err_message_count;
extern const char *const MPII_err_class_text[MPIR_ERR_CLASS_MASK + 1];

/* Put `where` and ": " before the message of code, if the ring still has it and that was not done before. Returns
 * whether the text now says where. */
bool MPII_Err_place(int code, const char *where);

/* Is this a code that MPI could have returned? */
bool MPII_Err_is_valid(int code);

/* The user's classes and codes. */
static inline bool MPII_Err_is_dynamic(int code)
{
    return code >= 0 && (code & MPIR_ERR_DYNAMIC_BIT) != 0;
}
/* The class of a user's code; 0 if it does not exist (any more). */
int MPII_Dynerr_class(int code);
/* Copy its text ("" if none was set); false if it does not exist. */
bool MPII_Dynerr_text(int code, char *text, int size);

/* The error handler of an object (which may be NULL), with a reference more, so that another thread may set a new
 * one meanwhile. */
MPIR_Errhandler *MPII_Errhandler_hold_comm(struct MPIR_Comm *comm);
MPIR_Errhandler *MPII_Errhandler_hold_session(struct MPIR_Session *session);

#endif /* ERRHAN_H_INCLUDED */
