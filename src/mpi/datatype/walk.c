/* The walk: packs, unpacks and describes data by executing a type's program from any offset on. */
#include <string.h>
#include <sys/uio.h>

#include "type_internal.h"

typedef enum Mode { MODE_PACK, MODE_UNPACK, MODE_IOV } Mode;

/* What is done with each run of memory that the walk comes upon. */
typedef struct Walk {
    Mode mode;
    MPI_Count left;    /* packed bytes still wanted; 0 ends the walk */
    char *packed;      /* MODE_PACK, MODE_UNPACK: next byte of the packed form */
    struct iovec *iov; /* MODE_IOV: entries, how many there are and how many are filled */
    int iov_room, iov_n;
} Walk;

/* ---- copying --------------------------------------------------------------------------------- */

/* Short runs are moved as two words that overlap where they must: lengths that change from run to
 * run then share a branch or two, and cost no call. */
static inline void copy_bytes(char *dst, const char *src, size_t size)
{
    if (size > 32) {
        memcpy(dst, src, size);
    } else if (size >= 16) {
        char head[16], tail[16];
        memcpy(head, src, 16);
        memcpy(tail, src + size - 16, 16);
        memcpy(dst, head, 16);
        memcpy(dst + size - 16, tail, 16);
    } else {
        MPL_copy_short(dst, src, size);
    }
}

typedef struct Strided {
    char *dst;
    const char *src;
    MPI_Aint dst_stride, src_stride;
    size_t block;
    MPI_Count count;
} Strided;

static inline __attribute__((always_inline)) void copy_block(uintptr_t dst, uintptr_t src,
                                                             size_t block)
{
    memcpy((char *) dst, (const char *) src, block);
}

/* Inlined into copy_strided() with a constant block, so that each becomes a loop of loads and
 * stores, four blocks a turn. Places are computed as integers: the last step may leave the buffer,
 * and absolute displacements start from NULL. */
static inline __attribute__((always_inline)) void copy_blocks(const Strided *s, size_t block)
{
    const uintptr_t to = (uintptr_t) s->dst_stride, from = (uintptr_t) s->src_stride;
    uintptr_t dst = (uintptr_t) s->dst, src = (uintptr_t) s->src;
    MPI_Count left = s->count;
    for (; left >= 4; left -= 4) {
        copy_block(dst, src, block);
        copy_block(dst + to, src + from, block);
        copy_block(dst + 2 * to, src + 2 * from, block);
        copy_block(dst + 3 * to, src + 3 * from, block);
        dst += 4 * to;
        src += 4 * from;
    }
    for (; left > 0; left--) {
        copy_block(dst, src, block);
        dst += to;
        src += from;
    }
}

static void copy_strided(const Strided *s)
{
    switch (s->block) {
    case 1:
        copy_blocks(s, 1);
        break;
    case 2:
        copy_blocks(s, 2);
        break;
    case 4:
        copy_blocks(s, 4);
        break;
    case 8:
        copy_blocks(s, 8);
        break;
    case 12:
        copy_blocks(s, 12);
        break;
    case 16:
        copy_blocks(s, 16);
        break;
    case 24:
        copy_blocks(s, 24);
        break;
    case 32:
        copy_blocks(s, 32);
        break;
    default:
        copy_blocks(s, s->block);
    }
}

/* ---- what happens to a run ------------------------------------------------------------------- */

static void put_iov(Walk *w, char *p, MPI_Count size)
{
    struct iovec *last = w->iov_n > 0 ? &w->iov[w->iov_n - 1] : NULL;
    if (last && (char *) last->iov_base + last->iov_len == p) {
        last->iov_len += (size_t) size;
    } else if (w->iov_n < w->iov_room) {
        w->iov[w->iov_n++] = (struct iovec) { .iov_base = p, .iov_len = (size_t) size };
    } else {
        w->left = 0;
        return;
    }
    w->left -= size;
}

static inline void put_run(Walk *w, MPI_Aint address, MPI_Count size)
{
    char *p = (char *) address;
    size = MPL_MIN(size, w->left);
    switch (w->mode) {
    case MODE_PACK:
        copy_bytes(w->packed, p, (size_t) size);
        break;
    case MODE_UNPACK:
        copy_bytes(p, w->packed, (size_t) size);
        break;
    case MODE_IOV:
        put_iov(w, p, size);
        return;
    }
    w->packed += size;
    w->left -= size;
}

/* `count` whole blocks; all of them are wanted. */
static void put_blocks(Walk *w, MPI_Aint address, const MPII_Node *n, MPI_Count count)
{
    size_t block = (size_t) n->u.block;
    switch (w->mode) {
    case MODE_PACK:
        copy_strided(
            &(Strided) { w->packed, (char *) address, n->u.block, n->stride, block, count });
        break;
    case MODE_UNPACK:
        copy_strided(
            &(Strided) { (char *) address, w->packed, n->stride, n->u.block, block, count });
        break;
    case MODE_IOV:
        for (MPI_Count i = 0; i < count && w->left > 0; i++)
            put_iov(w, (char *) (address + i * n->stride), n->u.block);
        return;
    }
    w->packed += count * n->u.block;
    w->left -= count * n->u.block;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void walk(Walk *w, const MPII_Node *n, MPI_Aint origin, MPI_Count offset);

static void walk_strided(Walk *w, const MPII_Node *n, MPI_Aint address, MPI_Count offset)
{
    MPI_Count i = 0;
    if (offset > 0) {
        i = offset / n->u.block;
        MPI_Count within = offset % n->u.block;
        if (within > 0)
            put_run(w, address + i++ * n->stride + within, n->u.block - within);
    }
    MPI_Count whole = n->count - i;
    if (w->left < whole * n->u.block)
        whole = w->left / n->u.block;
    if (whole > 0) {
        put_blocks(w, address + i * n->stride, n, whole);
        i += whole;
    }
    if (w->left > 0 && i < n->count)
        put_run(w, address + i * n->stride, n->u.block);
}

/* The last of the `count` entries whose offset is not above `offset`; entries are `step` bytes
 * apart. */
static MPI_Count find_entry(const void *first_offset, size_t step, MPI_Count count,
                            MPI_Count offset)
{
    MPI_Count low = 0, high = count; /* entry low is not above, entry high (if any) is */
    while (high - low > 1) {
        MPI_Count mid = low + (high - low) / 2;
        const MPI_Count *at = (const void *) ((const char *) first_offset + (size_t) mid * step);
        if (*at <= offset)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* All `count` runs are wanted in full: without a look at what is left after each. */
static void put_runs(Walk *w, const MPII_Run *r, MPI_Count count, MPI_Aint address)
{
    MPI_Count first = r[0].offset;
    char *packed = w->packed;
    if (w->mode == MODE_PACK) {
        for (MPI_Count i = 0; i < count; i++)
            copy_bytes(packed + (r[i].offset - first), (char *) (address + r[i].disp),
                       (size_t) (r[i + 1].offset - r[i].offset));
    } else {
        for (MPI_Count i = 0; i < count; i++)
            copy_bytes((char *) (address + r[i].disp), packed + (r[i].offset - first),
                       (size_t) (r[i + 1].offset - r[i].offset));
    }
    w->packed += r[count].offset - first;
    w->left -= r[count].offset - first;
}

static void walk_runs(Walk *w, const MPII_Node *n, MPI_Aint address, MPI_Count offset)
{
    const MPII_Run *runs = n->u.runs;
    MPI_Count i = 0, within = 0;
    if (offset > 0) {
        i = find_entry(&runs->offset, sizeof(MPII_Run), n->count, offset);
        within = offset - runs[i].offset;
    }
    if (within == 0 && w->mode != MODE_IOV && n->size - runs[i].offset <= w->left) {
        put_runs(w, runs + i, n->count - i, address);
        return;
    }
    for (; i < n->count && w->left > 0; i++) {
        put_run(w, address + runs[i].disp + within, runs[i + 1].offset - runs[i].offset - within);
        within = 0;
    }
}

/* Block i of a node that consists of blocks. */
static MPII_Run block_of(const MPII_Node *n, MPI_Count i, MPI_Count *size)
{
    if (n->kind == MPII_NODE_STRIDED) {
        *size = n->u.block;
        return (MPII_Run) { .disp = i * n->stride, .offset = i * n->u.block };
    }
    *size = n->u.runs[i + 1].offset - n->u.runs[i].offset;
    return n->u.runs[i];
}

enum {
    FEW_BLOCKS = 16,
    BATCH = 64, /* items, few enough to stay in the first-level cache from one block to the next */
};

/* Items that consist of a few small blocks are copied block by block: the first block of all items
 * of a batch, then the second. Each is a tight loop, where going item by item would pay for every
 * block anew. */
static bool is_batch(const Walk *w, const MPII_Node *item)
{
    return w->mode != MODE_IOV && item->count <= FEW_BLOCKS && item->size <= 32 * FEW_BLOCKS &&
           (item->kind == MPII_NODE_RUNS || item->kind == MPII_NODE_STRIDED);
}

/* `count` whole items, all of them wanted. */
static void put_batch(Walk *w, const MPII_Node *item, MPI_Aint address, MPI_Aint stride,
                      MPI_Count count)
{
    for (MPI_Count b = 0; b < item->count; b++) {
        MPI_Count size;
        MPII_Run run = block_of(item, b, &size);
        char *data = (char *) (address + item->disp + run.disp), *packed = w->packed + run.offset;
        if (w->mode == MODE_PACK)
            copy_strided(&(Strided) { packed, data, item->size, stride, (size_t) size, count });
        else
            copy_strided(&(Strided) { data, packed, stride, item->size, (size_t) size, count });
    }
    w->packed += count * item->size;
    w->left -= count * item->size;
}

static void walk_loop(Walk *w, const MPII_Node *n, MPI_Aint address, MPI_Count offset)
{
    const MPII_Node *child = n->u.child;
    MPI_Count i = 0;
    if (offset > 0) {
        i = offset / child->size;
        MPI_Count within = offset % child->size;
        if (within > 0)
            walk(w, child, address + i++ * n->stride, within);
    }
    if (is_batch(w, child)) {
        MPI_Count whole = MPL_MIN(n->count - i, w->left / child->size), batch;
        for (; whole > 0; whole -= batch, i += batch) {
            batch = MPL_MIN(whole, BATCH);
            put_batch(w, child, address + i * n->stride, n->stride, batch);
        }
    }
    for (; i < n->count && w->left > 0; i++)
        walk(w, child, address + i * n->stride, 0);
}

static void walk_parts(Walk *w, const MPII_Node *n, MPI_Aint address, MPI_Count offset)
{
    const MPII_Part *parts = n->u.parts;
    MPI_Count i = 0, within = 0;
    if (offset > 0) {
        i = find_entry(&parts->offset, sizeof(MPII_Part), n->count, offset);
        within = offset - parts[i].offset;
    }
    for (; i < n->count && w->left > 0; i++) {
        walk(w, &parts[i].node, address, within);
        within = 0;
    }
}

/* Execute n from its packed byte `offset` on, until its end or until nothing more is wanted. */
static void walk(Walk *w, const MPII_Node *n, MPI_Aint origin, MPI_Count offset)
{
    MPI_Aint address = origin + n->disp;
    switch (n->kind) {
    case MPII_NODE_RUN:
        put_run(w, address + offset, n->size - offset);
        break;
    case MPII_NODE_STRIDED:
        walk_strided(w, n, address, offset);
        break;
    case MPII_NODE_RUNS:
        walk_runs(w, n, address, offset);
        break;
    case MPII_NODE_LOOP:
        walk_loop(w, n, address, offset);
        break;
    case MPII_NODE_PARTS:
        walk_parts(w, n, address, offset);
        break;
    }
}

/* A message is `count` items: a program of its own, made on the stack. */
typedef struct Message {
    MPI_Aint origin;
    MPI_Count count;
    MPI_Datatype datatype;
} Message;

static void walk_message(Walk *w, const Message *m, MPI_Count offset)
{
    if (w->left <= 0)
        return;
    MPII_Node item = MPII_Type_root(m->datatype);
    MPII_Node all = MPII_Node_repeat(&item, m->count, MPIR_Datatype_get(m->datatype)->extent);
    walk(w, &all, m->origin, offset);
}

/* ---- what others call ------------------------------------------------------------------------ */

bool MPIR_Datatype_is_run(MPI_Datatype d, MPI_Count count, MPI_Aint *start)
{
    *start = 0;
    if (MPL_LIKELY(MPIR_Datatype_is_builtin(d)))
        return true;
    const MPIR_Datatype *t = MPIR_Datatype_get(d);
    if (count == 0 || t->size == 0)
        return true;
    if (!t->contiguous && (count != 1 || t->program->root.kind != MPII_NODE_RUN))
        return false;
    *start = t->true_lb;
    return true;
}

void MPIR_Datatype_pack(const void *buf, MPI_Count count, MPI_Datatype d, MPI_Count offset,
                        void *dst, size_t size)
{
    MPI_Aint start;
    if (size == 0)
        return;
    if (MPIR_Datatype_is_run(d, count, &start)) {
        memcpy(dst, (const char *) ((MPI_Aint) buf + start + offset), size);
        return;
    }
    Walk w = { .mode = MODE_PACK, .left = (MPI_Count) size, .packed = dst };
    walk_message(&w, &(Message) { (MPI_Aint) buf, count, d }, offset);
}

void MPIR_Datatype_unpack(void *buf, MPI_Count count, MPI_Datatype d, MPI_Count offset,
                          const void *src, size_t size)
{
    MPI_Aint start;
    if (size == 0)
        return;
    if (MPIR_Datatype_is_run(d, count, &start)) {
        memcpy((char *) ((MPI_Aint) buf + start + offset), src, size);
        return;
    }
    Walk w = { .mode = MODE_UNPACK, .left = (MPI_Count) size, .packed = (char *) src };
    walk_message(&w, &(Message) { (MPI_Aint) buf, count, d }, offset);
}

void MPIR_Datatype_iov(const void *buf, MPI_Count count, MPI_Datatype d, MPI_Count offset,
                       struct iovec *iov, int *n, size_t *size)
{
    Walk w = { .mode = MODE_IOV, .left = (MPI_Count) *size, .iov = iov, .iov_room = *n };
    walk_message(&w, &(Message) { (MPI_Aint) buf, count, d }, offset);
    *n = w.iov_n;
    *size = 0;
    for (int i = 0; i < w.iov_n; i++)
        *size += iov[i].iov_len;
}

MPI_Count MPIR_Datatype_copy(const void *src, MPI_Count scount, MPI_Datatype sd, void *dst,
                             MPI_Count dcount, MPI_Datatype dd)
{
    MPI_Aint start;
    MPI_Count size = MPL_MIN(MPIR_Datatype_bytes(sd, scount), MPIR_Datatype_bytes(dd, dcount));
    if (MPIR_Datatype_is_run(sd, scount, &start)) {
        MPIR_Datatype_unpack(dst, dcount, dd, 0, (const char *) ((MPI_Aint) src + start),
                             (size_t) size);
        return size;
    }
    if (MPIR_Datatype_is_run(dd, dcount, &start)) {
        MPIR_Datatype_pack(src, scount, sd, 0, (char *) ((MPI_Aint) dst + start), (size_t) size);
        return size;
    }
    char packed[8192]; /* stays in the first-level cache between the two halves */
    for (MPI_Count at = 0, step; at < size; at += step) {
        step = MPL_MIN(size - at, (MPI_Count) sizeof(packed));
        MPIR_Datatype_pack(src, scount, sd, at, packed, (size_t) step);
        MPIR_Datatype_unpack(dst, dcount, dd, at, packed, (size_t) step);
    }
    return size;
}
