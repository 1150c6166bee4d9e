/* Performance variables: one declaration each, beside the code that counts.
 *
 *   MPIR_PVAR_COUNTER(init_reinits, &MPII_life.reinits, "Epochs after the first.")
 *   MPIR_PVAR_LEVEL_FN(init_users, read_users, "Open sessions, and the world if it is active.")
 *   MPIR_PVAR_TIMER(init_time_first, read_first_init, "Seconds that the first init took.")
 *
 * at file scope of a .c file. maint/gen-cvars collects them into the table that MPI_T reads; so each declaration
 * starts a line, and name and help are literals. The name is what MPI_T shows.
 *
 * All are continuous (they count from the start of the process, not from a handle's) and read-only, and can be
 * read by any thread at any time, also outside of an epoch: what they read lives with the process.
 */
#ifndef MPIR_PVAR_H_INCLUDED
#define MPIR_PVAR_H_INCLUDED

#include <stddef.h>

typedef enum MPIR_Pvar_kind {
    MPIR_PVAR_KIND_COUNTER, /* never falls; unsigned long long */
    MPIR_PVAR_KIND_LEVEL,   /* how much there is now; unsigned long long */
    MPIR_PVAR_KIND_TIMER,   /* time spent so far; double, seconds */
} MPIR_Pvar_kind;

typedef struct MPIR_Pvar {
    const char *name;
    MPIR_Pvar_kind kind;
    const char *help;
    /* One of these is set. */
    const volatile unsigned long long *variable;
    unsigned long long (*read)(void);
    double (*read_seconds)(void);
} MPIR_Pvar;

#define MPIR_PVAR_DEFINE_(name_, kind_, help_, ...)                                                \
    const MPIR_Pvar MPIR_pvar_##name_ = {                                                          \
        .name = #name_, .kind = MPIR_PVAR_KIND_##kind_, .help = (help_), __VA_ARGS__               \
    };

/* variable_: address of an unsigned long long, atomic or not (a cast takes the _Atomic away). */
#define MPIR_PVAR_COUNTER(name_, variable_, help_)                                                 \
    MPIR_PVAR_DEFINE_(name_, COUNTER, help_,                                                       \
                      .variable = (const volatile unsigned long long *) (variable_))
#define MPIR_PVAR_LEVEL(name_, variable_, help_)                                                   \
    MPIR_PVAR_DEFINE_(name_, LEVEL, help_,                                                         \
                      .variable = (const volatile unsigned long long *) (variable_))

/* function_: unsigned long long function_(void), for what is not kept in one variable of that type. */
#define MPIR_PVAR_COUNTER_FN(name_, function_, help_)                                              \
    MPIR_PVAR_DEFINE_(name_, COUNTER, help_, .read = (function_))
#define MPIR_PVAR_LEVEL_FN(name_, function_, help_)                                                \
    MPIR_PVAR_DEFINE_(name_, LEVEL, help_, .read = (function_))

/* function_: double function_(void), seconds. */
#define MPIR_PVAR_TIMER(name_, function_, help_)                                                   \
    MPIR_PVAR_DEFINE_(name_, TIMER, help_, .read_seconds = (function_))

/* The generated table, sorted by name. */
extern const MPIR_Pvar *const MPIR_pvar_table[];
extern const int MPIR_pvar_count;

/* Categories of MPI_T, generated, too: one for each folder that declares variables. Indices into the two tables. */
typedef struct MPIR_Category {
    const char *name, *help;
    int n_cvars, n_pvars;
    const int *cvars, *pvars;
} MPIR_Category;
extern const MPIR_Category MPIR_category_table[];
extern const int MPIR_category_count;

#endif /* MPIR_PVAR_H_INCLUDED */
