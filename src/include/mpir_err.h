/* Error codes: how the inside of the library reports an error, and how a binding hands it to the user.
 *
 * A code is the error class (bits 0-6) and, above it, the place of the message in a ring that lives as
 * long as the process; bit 30 marks classes and codes made by the user. Who first detects an error calls
 * MPIR_Err() once; callers pass the code on. Keys, classes and texts stand in src/mpi/errhan/errnames.txt.
 */
#ifndef MPIR_ERR_H_INCLUDED
#define MPIR_ERR_H_INCLUDED

struct MPIR_Comm;
struct MPIR_Session;
struct MPIR_Group;

#define MPIR_ERR_CLASS_MASK 0x7f
#define MPIR_ERR_DYNAMIC_BIT 0x40000000

/* Make an error code: `key` ("**rank") selects class and text, whose printf directives take the rest.
 * Never MPI_SUCCESS; an unknown key gives MPI_ERR_INTERN that names it. Thread safe. */
int MPIR_Err(const char *key, ...);

/* The class of a code, predefined or the user's. */
int MPIR_Err_class(int code);

/* The text of a code, with its specific message where the ring still has it; cut to size. */
void MPIR_Err_text(int code, char *text, int size);

/* The highest error class or code that the user has made so far, or MPI_ERR_LASTCODE: what the attribute
 * MPI_LASTUSEDCODE says. Never falls. Thread safe. */
int MPIR_Err_last_used_code(void);

/* End of a failed call: put `where` (the function and its arguments, "MPI_Send(buf=0x.., count=1, ..)")
 * before the message and run the error handler that MPI-5.0 9.3 prescribes. Returns the code for the user
 * if the handler returns. NULL stands for "no valid object": then the handler of COMM_SELF (world active)
 * or the initial error handler serves. Called without the library's lock. */
int MPIR_Err_return_comm(struct MPIR_Comm *comm, const char *where, int code);
int MPIR_Err_return_session(struct MPIR_Session *session, const char *where, int code);
int MPIR_Err_return_group(struct MPIR_Group *group, const char *where, int code);

/* A message to the user on stderr that is no error: one line "perennial: rank R: ...". */
void MPIR_Warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The library itself is broken or cannot go on: say so and end the job (MPID_Abort). Never returns. */
void MPIR_Fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* MPIR_ERR_H_INCLUDED */
