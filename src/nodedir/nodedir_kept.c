/* Files that outlive all who are attached.
 *
 * A process may send to one that has not called MPI yet, finalize and exit. If it was the last (or
 * only) one attached, the message would go with the file. So the sender notes that the receiver is
 * expected, and the name stays until that one has come, or the job has ended, which a dead
 * launcher shows.
 */
#include "nodedir_impl.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* Who handed down the socket, since the parent may be a script that ends with this process; else
 * the parent. 0: of another pid namespace, or dead, so it says nothing about the job. */
static pid_t find_launcher(void)
{
    const char *text = getenv("PMI_FD");
    long long fd;
    pid_t pid = text && MPL_parse_int(text, 0, INT32_MAX, &fd) ? MPL_socket_maker((int) fd) : 0;

    if (pid <= 0)
        pid = getppid();
    return pid > 1 && MPL_pid_alive(pid) ? pid : 0;
}

void MPIR_Nodedir_launcher_note(MPIR_Nodedir *dir)
{
    pid_t pid = find_launcher();

    dir->launcher_pid = (int32_t) pid;
    dir->launcher_birth = pid ? MPL_pid_birth(pid) : 0;
    dir->launcher_space = MPIR_Nodedir_pid_space();
}

/* Where that cannot be known, it counts as alive: a file too many is the smaller harm. */
static bool launcher_is_alive(const MPIR_Nodedir *head)
{
    uint32_t here = MPIR_Nodedir_pid_space();

    if (head->launcher_pid <= 0)
        return false;
    if (here != 0 && head->launcher_space != 0 && here != head->launcher_space)
        return true;
    return MPL_pid_alive(head->launcher_pid) &&
           (head->launcher_birth == 0 || MPL_pid_birth(head->launcher_pid) == head->launcher_birth);
}

static bool is_awaited(const MPIR_Nodedir_entry *entry)
{
    return atomic_load_explicit(&entry->pid, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&entry->expected, memory_order_relaxed) != 0;
}

/* Of a file that nobody holds: the process died in the midst of an epoch, so the launcher ends the
 * job, and who comes under its name is of another one. */
static bool has_broken_off(const MPIR_Nodedir_entry *entry)
{
    return atomic_load_explicit(&entry->state, memory_order_relaxed) == MPIR_PROC_ACTIVE;
}

/* Memory that belongs to a process goes with the last who has it open; a name would not help. */
static bool outlives_processes(const MPIR_Nodedir *head)
{
    return atomic_load_explicit(&head->arena_pid, memory_order_relaxed) == 0;
}

bool MPIR_Nodedir_expect(MPIR_Nodedir_ref *ref, int local_rank)
{
    if (ref->path[0] == '\0')
        return ref->inherited;
    if (!outlives_processes(ref->dir) || ref->dir->launcher_pid == 0)
        return false;
    atomic_store_explicit(&ref->dir->entry[local_rank].expected, 1, memory_order_relaxed);
    return true;
}

bool MPIR_Nodedir_awaits(const MPIR_Nodedir *dir)
{
    if (!outlives_processes(dir))
        return false;
    for (uint32_t i = 0; i < dir->n_local; i++)
        if (is_awaited(&dir->entry[i]))
            return true;
    return false;
}

/* Read, not mapped: see MPIR_Nodedir_check(). */
bool MPIR_Nodedir_is_kept(int fd)
{
    MPIR_Nodedir head;
    MPIR_Nodedir_entry entry;
    bool awaited = false;

    if (pread(fd, &head, sizeof(head), 0) != (ssize_t) sizeof(head) ||
        head.magic != MPIR_NODEDIR_MAGIC || head.layout != MPIR_NODEDIR_LAYOUT ||
        head.n_local > MPIR_NODEDIR_MAX_LOCAL || !outlives_processes(&head) ||
        !launcher_is_alive(&head))
        return false;
    for (uint32_t i = 0; i < head.n_local; i++) {
        off_t at = (off_t) (sizeof(head) + i * sizeof(entry));
        if (pread(fd, &entry, sizeof(entry), at) != (ssize_t) sizeof(entry) ||
            has_broken_off(&entry))
            return false;
        awaited |= is_awaited(&entry);
    }
    return awaited;
}

/* ---- who has not come yet -------------------------------------------------------------------- */

/* The child of the launcher that `pid` is or descends from; 0: none. Shells and tools lie between. */
static pid_t head_of(pid_t pid, pid_t launcher)
{
    enum { LEVELS = 16 };
    for (int i = 0; i < LEVELS && pid > 1; i++) {
        pid_t parent = MPL_pid_parent(pid);
        if (parent == launcher)
            return pid;
        pid = parent;
    }
    return 0;
}

/* Is there a child of the launcher other than these? */
static bool has_other_child(pid_t launcher, const pid_t *known, uint32_t n)
{
    struct dirent *item;
    bool found = false;
    DIR *proc = opendir("/proc");
    if (!proc)
        return true;
    while (!found && (item = readdir(proc)) != NULL) {
        pid_t pid = (pid_t) atoi(item->d_name);
        if (pid <= 0 || MPL_pid_parent(pid) != launcher || !MPL_pid_alive(pid))
            continue;
        found = true;
        for (uint32_t i = 0; i < n; i++)
            found &= known[i] != pid;
    }
    closedir(proc);
    return found;
}

bool MPIR_Nodedir_may_come(const MPIR_Nodedir_ref *ref)
{
    const MPIR_Nodedir *dir = ref->dir;
    if (dir->launcher_pid <= 0 || MPL_pid_parent(getpid()) == 0)
        return true;
    if (!launcher_is_alive(dir))
        return false;
    pid_t *known = calloc(dir->n_local, sizeof(*known));
    if (!known)
        return true;
    for (uint32_t i = 0; i < dir->n_local; i++)
        known[i] = head_of(atomic_load_explicit(&dir->entry[i].pid, memory_order_relaxed),
                           dir->launcher_pid);
    bool may = has_other_child(dir->launcher_pid, known, dir->n_local);
    free(known);
    return may;
}
