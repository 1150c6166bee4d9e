/* Private to src/nodedir: what its files share. */
#ifndef NODEDIR_IMPL_H_INCLUDED
#define NODEDIR_IMPL_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#include "mpir_nodedir.h"

/* Areas that are mapped by themselves start at a multiple of this: the largest page size in use. */
#define NODEDIR_GRAIN 65536

/* Bytes of the directory that are really used, without the rounding. */
size_t MPIR_Nodedir_used(int n_local);

/* Put together the text for *why; returns err (a -errno), so that it can end a function. */
int MPIR_Nodedir_fail(int err, const char **why, const char *format, ...) MPL_PRINTF(3, 4);

/* May this process make a file of `end` bytes? Asked first, since the kernel answers with
 * SIGXFSZ. 0 or -EFBIG. */
int MPIR_Nodedir_size_allowed(off_t end);

/* Fresh nameless memory of `size` bytes: descriptor or -errno. */
int MPIR_Nodedir_nameless(const char *label, size_t size);

/* Map the directory of ref->fd, which must have been checked. 0 or -errno. */
int MPIR_Nodedir_map(MPIR_Nodedir_ref *ref, int n_local);

/* Read the head of `fd` (called `name` in texts) and check that it is a directory for n_local
 * processes. */
int MPIR_Nodedir_check(int fd, const char *name, int n_local, const char **why);

/* Fill in an empty directory. */
void MPIR_Nodedir_fill(MPIR_Nodedir *dir, int n_local, uint64_t job);

/* Does the file system of fd give memory without a limit of its own (memfd)? Then no touch can
 * fail for want of room. */
bool MPIR_Nodedir_is_unlimited(int fd);

/* Make the memory of fd reach over [offset, offset + size) and carry the job's nonce right
 * behind it. 0 or -errno. */
int MPIR_Nodedir_grow(int fd, off_t offset, size_t size, uint64_t job);

/* Find the memory behind a directory that is mapped: sets arena_fd, arena_offset, sparse_ok. */
int MPIR_Nodedir_arena_find(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why);

/* Nameless memory for what a named file has no room for: descriptor or -errno. */
int MPIR_Nodedir_arena_make(size_t size, uint64_t job);

/* Find or make the named file, lock it, map it. */
int MPIR_Nodedir_named_open(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why);

/* Remove the name, if it still means the file that ref->fd holds. */
void MPIR_Nodedir_named_unlink(MPIR_Nodedir_ref *ref);

/* Remove the name if no other process holds the file and nobody is expected; gives up this
 * process's lock. */
void MPIR_Nodedir_named_leave(MPIR_Nodedir_ref *ref);

/* Put into a fresh directory by whose life that of the job is told. */
void MPIR_Nodedir_launcher_note(MPIR_Nodedir *dir);

/* Do messages lie in this directory for a process that has not come yet? */
bool MPIR_Nodedir_awaits(const MPIR_Nodedir *dir);

/* The same of a file that nobody holds, and that may hold anything; true only if its job is still
 * going on. */
bool MPIR_Nodedir_is_kept(int fd);

#endif /* NODEDIR_IMPL_H_INCLUDED */
