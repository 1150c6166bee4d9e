/* Control variables: one declaration each, beside the code that reads the variable.
 *
 *   MPIR_CVAR_INT(EAGER_MAX, 4096, 0, 65536, "bytes", "Largest message that is sent without asking.")
 *
 * at file scope of a .c file defines `int MPIR_CVAR_EAGER_MAX` and its description. A script collects the
 * declarations (maint/gen-cvars) into the table that MPIR_Cvar_init() and MPI_T read, and into the docs;
 * so each declaration starts a line and its arguments are literals. Values are constants after
 * MPIR_Cvar_init(), which lives with the process.
 */
#ifndef MPIR_CVAR_H_INCLUDED
#define MPIR_CVAR_H_INCLUDED

#include <stdbool.h>

typedef enum MPIR_Cvar_type { MPIR_CVAR_TYPE_INT, MPIR_CVAR_TYPE_BOOL, MPIR_CVAR_TYPE_STRING } MPIR_Cvar_type;

typedef struct MPIR_Cvar {
    const char *name; /* "MPIR_CVAR_EAGER_MAX" */
    MPIR_Cvar_type type;
    void *value; /* int *, int * (0 or 1), const char ** */
    long long low, high; /* of an int */
    const char *unit; /* "bytes", "us", "" */
    const char *help;
    const char *choices; /* of a string: "auto|1|2", or NULL for any */
} MPIR_Cvar;

#define MPIR_CVAR_INT(name_, default_, low_, high_, unit_, help_)                                   \
    int MPIR_CVAR_##name_ = (default_);                                                            \
    const MPIR_Cvar MPIR_cvar_##name_ = {                                                          \
        .name = "MPIR_CVAR_" #name_, .type = MPIR_CVAR_TYPE_INT, .value = &MPIR_CVAR_##name_,      \
        .low = (low_), .high = (high_), .unit = (unit_), .help = (help_) };

#define MPIR_CVAR_BOOL(name_, default_, help_)                                                      \
    int MPIR_CVAR_##name_ = (default_);                                                            \
    const MPIR_Cvar MPIR_cvar_##name_ = {                                                          \
        .name = "MPIR_CVAR_" #name_, .type = MPIR_CVAR_TYPE_BOOL, .value = &MPIR_CVAR_##name_,     \
        .low = 0, .high = 1, .unit = "", .help = (help_) };

#define MPIR_CVAR_STRING(name_, default_, choices_, help_)                                          \
    const char *MPIR_CVAR_##name_ = (default_);                                                    \
    const MPIR_Cvar MPIR_cvar_##name_ = {                                                          \
        .name = "MPIR_CVAR_" #name_, .type = MPIR_CVAR_TYPE_STRING, .value = &MPIR_CVAR_##name_,   \
        .unit = "", .help = (help_), .choices = (choices_) };

/* The generated table, sorted by name. */
extern const MPIR_Cvar *const MPIR_cvar_table[];
extern const int MPIR_cvar_count;

/* Read the environment, once in the life of the process, by whichever of MPI and MPI_T starts first; later
 * calls do nothing. Malformed values keep the default. Thread safe. */
void MPIR_Cvar_init(void);

/* Report what MPIR_Cvar_init() found wrong (unknown names with the nearest known one, malformed values),
 * once; only rank 0 of a job calls this. */
void MPIR_Cvar_report(void);

#endif /* MPIR_CVAR_H_INCLUDED */
