/* PMI_process_mapping. See pmi_mapping.h. Costs O(blocks + ranks on the node), not O(ranks in the
 * job), however often the list starts over. */
#include "pmi_mapping.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpl.h"

/* A number without a sign that fits into an int; moves *p behind it. */
static bool take_number(const char **p, int *number)
{
    const char *s = *p;
    long long n = 0;

    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        n = n * 10 + (*s - '0');
        if (n > INT_MAX)
            return false;
    }
    *number = (int) n;
    *p = s;
    return true;
}

static bool take_char(const char **p, char c)
{
    if (**p != c)
        return false;
    (*p)++;
    return true;
}

static bool add_block(MPIR_Pmi_mapping *map, MPIR_Pmi_block block, const char **why)
{
    if (map->n == MPIR_PMI_BLOCKS_MAX) {
        *why = "a process mapping with too many blocks";
        return false;
    }
    if (map->n == map->max) {
        int max = map->max ? map->max * 2 : 8;
        MPIR_Pmi_block *grown = realloc(map->block, (size_t) max * sizeof(*grown));
        if (!grown) {
            *why = "out of memory";
            return false;
        }
        map->block = grown;
        map->max = max;
    }
    map->block[map->n++] = block;
    /* 4,096 blocks of at most 2^50 ranks each: no overflow */
    map->period += (long long) block.count * block.ranks;
    return true;
}

/* "(a,b,c)" or "a". */
static bool take_block(const char **p, MPIR_Pmi_mapping *map, const char **why)
{
    MPIR_Pmi_block b = { .count = 1, .ranks = 1 };

    *why = "a process mapping that is not of the form (vector,(node,count,ranks),...)";
    if (take_char(p, '(')) {
        if (!take_number(p, &b.node) || !take_char(p, ',') || !take_number(p, &b.count) ||
            !take_char(p, ',') || !take_number(p, &b.ranks) || !take_char(p, ')'))
            return false;
    } else if (!take_number(p, &b.node)) {
        return false;
    }
    if (b.count < 1 || b.ranks < 1 || b.count > INT_MAX - b.node ||
        (long long) b.count * b.ranks > 1LL << 50) {
        *why = "a process mapping with a block that holds no rank or too many";
        return false;
    }
    return add_block(map, b, why);
}

/* "[block,...]xN" or one block. */
static bool take_item(const char **p, MPIR_Pmi_mapping *map, const char **why)
{
    if (!take_char(p, '['))
        return take_block(p, map, why);
    int first = map->n, repeat;
    do {
        if (!take_block(p, map, why))
            return false;
    } while (take_char(p, ','));
    int length = map->n - first;
    if (!take_char(p, ']') || !take_char(p, 'x') || !take_number(p, &repeat) || repeat < 1) {
        *why = "a process mapping with [ but without ]xN";
        return false;
    }
    for (int i = 1; i < repeat; i++) {
        for (int j = 0; j < length; j++) {
            if (!add_block(map, map->block[first + j], why))
                return false;
        }
    }
    return true;
}

bool MPIR_Pmi_mapping_parse(const char *text, MPIR_Pmi_mapping *map, const char **why)
{
    static const char head[] = "(vector";
    const char *p = text;

    *map = (MPIR_Pmi_mapping) { 0 };
    *why = "a process mapping that is not of the form (vector,(node,count,ranks),...)";
    if (strncmp(p, head, sizeof(head) - 1) != 0)
        return false;
    p += sizeof(head) - 1;
    while (take_char(&p, ',')) {
        if (!take_item(&p, map, why))
            goto err_free;
    }
    if (strcmp(p, ")") != 0 || map->n == 0) {
        *why = "a process mapping that does not end with )";
        goto err_free;
    }
    return true;

  err_free:
    MPIR_Pmi_mapping_free(map);
    return false;
}

void MPIR_Pmi_mapping_free(MPIR_Pmi_mapping *map)
{
    free(map->block);
    *map = (MPIR_Pmi_mapping) { 0 };
}

int MPIR_Pmi_mapping_node(const MPIR_Pmi_mapping *map, int rank)
{
    long long at = rank % map->period;

    for (int i = 0; i < map->n; i++) {
        const MPIR_Pmi_block *b = &map->block[i];
        long long holds = (long long) b->count * b->ranks;
        if (at < holds)
            return b->node + (int) (at / b->ranks);
        at -= holds;
    }
    return 0; /* not reached: at < period */
}

static int at_most(long long n, int limit)
{
    return n < limit ? (int) n : limit;
}

/* What one block has on `node`, if anything: its first rank, if `start` is the block's. */
static bool block_serves(const MPIR_Pmi_block *b, int node, long long start, long long *first)
{
    if (node < b->node || node - b->node >= b->count)
        return false;
    *first = start + (long long) (node - b->node) * b->ranks;
    return true;
}

int MPIR_Pmi_mapping_count(const MPIR_Pmi_mapping *map, int node, int size)
{
    long long start = 0, first, rest = size % map->period;
    int found = 0;

    for (int i = 0; i < map->n; i++) {
        const MPIR_Pmi_block *b = &map->block[i];
        if (block_serves(b, node, start, &first)) {
            found += (int) (size / map->period) * b->ranks;
            if (first < rest)
                found += at_most(rest - first, b->ranks);
        }
        start += (long long) b->count * b->ranks;
    }
    return found;
}

/* The ranks that one block has on the node, in order. */
static int list_of_block(const MPIR_Pmi_mapping *map, long long first, int ranks_of_block, int size,
                         int *ranks)
{
    int found = 0;

    for (; first < size; first += map->period) {
        int n = at_most(size - first, ranks_of_block);
        for (int k = 0; k < n; k++)
            ranks[found++] = (int) first + k;
    }
    return found;
}

int MPIR_Pmi_mapping_ranks(const MPIR_Pmi_mapping *map, int node, int size, int *ranks, int max)
{
    long long start = 0, first;
    int n = MPIR_Pmi_mapping_count(map, node, size), found = 0, blocks = 0;

    for (int i = 0; i < map->n && n <= max; i++) {
        const MPIR_Pmi_block *b = &map->block[i];
        if (block_serves(b, node, start, &first)) {
            found += list_of_block(map, first, b->ranks, size, ranks + found);
            blocks++;
        }
        start += (long long) b->count * b->ranks;
    }
    if (blocks > 1)
        qsort(ranks, (size_t) found, sizeof(*ranks), MPL_compare_ints);
    return n;
}
