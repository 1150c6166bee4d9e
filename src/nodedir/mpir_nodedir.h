/* The node directory: who of the job is on this node. Shared by the library (shm transport, init
 * layer) and mpiexec.
 *
 * One per job and node, in shared memory, behind which the shm transport lays its inboxes (the same
 * file, grown sparsely; see the transport's layout header). All-zero memory past the header is its
 * valid initial state.
 * How a process finds it, first that serves:
 *   1. mpiexec hands a descriptor down: environment PERENNIAL_NODEDIR_FD. No name exists at all.
 *   2. a job of one process: nameless memory of its own.
 *   3. under another launcher: a named file in MPL_shm_dir(), created whole (made under a private
 *      name, locked, linked into place), 0600, unlinked as soon as all local ranks have attached,
 *      or by the last that leaves. Each attached process holds a shared flock(), by which stale
 *      files of dead jobs are known and swept. A file in which messages wait for a process that
 *      has not come yet outlives the last that leaves, as long as the launcher lives.
 *      If the file system has too little room for rings, the file holds the directory alone and
 *      `arena` says in which process's nameless memory (pid, fd) the rest lies.
 */
#ifndef MPIR_NODEDIR_H_INCLUDED
#define MPIR_NODEDIR_H_INCLUDED

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpl.h"

#define MPIR_NODEDIR_ENV "PERENNIAL_NODEDIR_FD"
#define MPIR_NODEDIR_MAGIC UINT64_C(0x524944414e4e4550) /* "PENNADIR" */
#define MPIR_NODEDIR_LAYOUT 2u
#define MPIR_NODEDIR_MAX_LOCAL 65536

typedef enum MPIR_Nodedir_state {
    MPIR_PROC_ABSENT = 0, /* has not called MPI yet */
    MPIR_PROC_ACTIVE,     /* in an epoch */
    MPIR_PROC_DORMANT,    /* between epochs: suspended or deferred */
    MPIR_PROC_GONE,       /* has left for good */
} MPIR_Nodedir_state;

/* One process: two cache lines, written by its owner. */
typedef struct MPIR_Nodedir_entry {
    _Atomic uint32_t state; /* MPIR_Nodedir_state */
    _Atomic int32_t pid;
    _Atomic uint64_t birth;   /* MPL_pid_birth(), against reused pids */
    _Atomic uint32_t waiting; /* 1: `text` says for what; seqlock-free, for people only */
    uint32_t pid_space;       /* names the pid namespace in which pid is meant; 0: unknown */
    char text[100];            /* "MPI_Recv: from rank 3, tag 7, MPI_COMM_WORLD" */
    _Atomic uint32_t expected; /* messages wait for it; set by senders before it has come */
} MPIR_Nodedir_entry;
_Static_assert(sizeof(MPIR_Nodedir_entry) == 128, "entries of two processes share no cache line");

typedef struct MPIR_Nodedir {
    uint64_t magic;
    uint32_t layout;
    uint32_t n_local;
    uint64_t job;              /* nonce of the job, never 0 */
    _Atomic uint32_t attached; /* processes that have attached so far (never lowered) */
    _Atomic int32_t arena_pid; /* 0: the rest lies behind the directory in the same file */
    _Atomic int32_t arena_fd;
    int32_t launcher_pid; /* of a named file: lives as long as the job; 0: unknown */
    uint64_t launcher_birth;
    uint32_t launcher_space; /* as pid_space */
    uint32_t reserved[3];
    MPIR_Nodedir_entry entry[]; /* by local rank */
} MPIR_Nodedir;
_Static_assert(sizeof(MPIR_Nodedir) == 64, "the header is one cache line, so entries stay aligned");

/* Bytes of the directory itself, a multiple of the page size. */
size_t MPIR_Nodedir_size(int n_local);

/* What a process holds. Lives with the process. */
typedef struct MPIR_Nodedir_ref {
    MPIR_Nodedir *dir;  /* mapped shared */
    int fd;             /* of the directory's memory */
    int arena_fd;       /* where the rest lies; == fd in most cases */
    off_t arena_offset; /* where it starts there */
    int local_rank;
    bool inherited; /* fd came through the environment: its flags are not ours to change */
    bool sparse_ok; /* no reservation needed before a first touch (memfd); else MPL_shm_reserve() */
    char path[128]; /* of the named file, "" if nameless */
} MPIR_Nodedir_ref;

/* For mpiexec: a fresh directory for n_local processes; the descriptor is close-on-exec. 0 or
 * -errno. */
int MPIR_Nodedir_create(int n_local, uint64_t job, MPIR_Nodedir_ref *ref);

/* For a process of a job: find or make the directory, and enter itself (pid, birth; state stays
 * as it is). job_name: what is the same in all processes of the job and in no other (launcher's
 * job id and kvs name). arena_size: bytes that the caller wants behind the directory; the file
 * is grown to hold them. 0 or -errno; *why (static or ref-owned text) then says which file and
 * what was wrong with it. */
typedef struct MPIR_Nodedir_want {
    const char *job_name;
    int local_rank, n_local;
    size_t arena_size;
} MPIR_Nodedir_want;
int MPIR_Nodedir_attach(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why);

/* Leave: state GONE, unlink the name if no one is left and nobody is expected, unmap, close. */
void MPIR_Nodedir_detach(MPIR_Nodedir_ref *ref);

/* Messages are going to be left for this process: if it has not come yet, keep them findable.
 * False: cannot be done, they last as long as somebody is attached. */
bool MPIR_Nodedir_expect(MPIR_Nodedir_ref *ref, int local_rank);

/* Can a process that has not come yet still come? Not if the launcher has no child left but those that
 * have come (looks at /proc; not for fast paths). True where it cannot be told. */
bool MPIR_Nodedir_may_come(const MPIR_Nodedir_ref *ref);

/* Say what this process waits for (NULL: nothing). */
void MPIR_Nodedir_set_wait(MPIR_Nodedir_ref *ref, const char *text);

/* Is the process of this entry gone: state GONE, or entered and its pid no longer alive (looks
 * at /proc; not for fast paths). */
bool MPIR_Nodedir_is_gone(const MPIR_Nodedir *dir, int local_rank);

/* The pid namespace of this process, as entries name it; 0: unknown. */
uint32_t MPIR_Nodedir_pid_space(void);

/* Does the pid of this entry mean the same process here as there? `mine`:
 * MPIR_Nodedir_pid_space(). */
bool MPIR_Nodedir_same_pid_space(const MPIR_Nodedir *dir, int local_rank, uint32_t mine);

#endif /* MPIR_NODEDIR_H_INCLUDED */
