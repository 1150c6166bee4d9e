/* Private to src/pmi/pmix: the functions of libpmix that are used, and what its files share.
 *
 *   pmix_lib.c   opens the library
 *   pmix_call.c  calls that wait for the server, for a bounded time
 *   pmix.c       the table of the wire: who am I, put, abort, finalize
 *   pmix_get.c   keys of other processes, one by one (direct modex): there is no fence
 *   pmix_pset.c  process sets
 */
#ifndef PMIX_IMPL_H_INCLUDED
#define PMIX_IMPL_H_INCLUDED

#include <pmix.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct MPIR_Pmix_lib {
    pmix_status_t (*init)(pmix_proc_t *me, pmix_info_t info[], size_t n);
    pmix_status_t (*finalize)(const pmix_info_t info[], size_t n);
    pmix_status_t (*put)(pmix_scope_t scope, const char key[], pmix_value_t *value);
    pmix_status_t (*commit)(void);
    pmix_status_t (*get)(const pmix_proc_t *of, const char key[], const pmix_info_t info[],
                         size_t n, pmix_value_t **value);
    pmix_status_t (*get_nb)(const pmix_proc_t *of, const char key[], const pmix_info_t info[],
                            size_t n, pmix_value_cbfunc_t done, void *arg);
    pmix_status_t (*query)(pmix_query_t queries[], size_t n, pmix_info_t **results,
                           size_t *n_results);
    pmix_status_t (*abort)(int code, const char text[], pmix_proc_t procs[], size_t n);
    const char *(*error_string)(pmix_status_t status);
} MPIR_Pmix_lib;

extern MPIR_Pmix_lib MPIR_Pmix;  /* lives with the process, filled by MPIR_Pmix_open() */
extern pmix_proc_t MPIR_Pmix_me; /* lives with the process: namespace and rank */

/* Open libpmix and connect to its server; the user's signal handlers and environment stay as they
 * are. */
int MPIR_Pmix_open(void);

typedef enum MPIR_Pmix_call_kind {
    MPIR_PMIX_INIT,
    MPIR_PMIX_ABORT, /* with code and text */
    MPIR_PMIX_FINALIZE
} MPIR_Pmix_call_kind;

/* PMIX_ERR_TIMEOUT if the server has not answered in so many seconds. */
pmix_status_t MPIR_Pmix_call(MPIR_Pmix_call_kind kind, int code, const char *text, int seconds);

/* A call that failed, as an error code. */
int MPIR_Pmix_error(const char *what, pmix_status_t status);

/* A value that PMIx_Get() returned is done with. */
void MPIR_Pmix_free(pmix_value_t *value);

/* Any of PMIx's integer types as a number in [0, 2^31). */
bool MPIR_Pmix_number(const pmix_value_t *value, int *number);

int MPIR_Pmix_get(int rank, const char *key, char *value, size_t size, bool *found);
int MPIR_Pmix_try(int rank, const char *key, char *value, size_t size, bool *found);

/* After PMIx_Finalize(): no callback comes any more. */
void MPIR_Pmix_get_free(void);

void MPIR_Pmix_find_psets(void);

#endif /* PMIX_IMPL_H_INCLUDED */
