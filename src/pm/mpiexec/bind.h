/* Which cores a rank may run on. The only module that knows hwloc, which is loaded only when it is
 * needed: reading the topology takes longer than starting a job. */
#ifndef PM_BIND_H_INCLUDED
#define PM_BIND_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* A set of the system's numbers of hardware threads. */
typedef struct PM_cpus {
    size_t bytes;
    unsigned char bits[]; /* bit n & 7 of byte n >> 3 */
} PM_cpus;

typedef struct PM_bind {
    int n; /* sets; rank r gets number r mod n. 0: nobody is bound */
    PM_cpus **cpus;
} PM_bind;

/* Work out the plan for -bind-to and -map-by (NULL: not given). False: `error` says what was wrong.
 */
bool PM_bind_plan(const char *bind_to, const char *map_by, PM_bind *plan, char *error, size_t size);
const PM_cpus *PM_bind_of(const PM_bind *plan, int rank);
void PM_bind_free(PM_bind *plan);

/* Bind the calling process. 0 or an errno. */
int PM_bind_me(const PM_cpus *cpus);

/* "0,2-3" */
const char *PM_cpus_text(const PM_cpus *cpus, char *text, size_t size);

#endif /* PM_BIND_H_INCLUDED */
