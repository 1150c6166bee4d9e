/* Which rank runs on which node: the value of PMI_process_mapping.
 *
 * `(vector,(first_node,node_count,ranks_per_node),...)`; a plain number stands for one rank on that
 * node, `[...]xN` for N times what is in the brackets; the list starts over until all ranks are
 * covered.
 */
#ifndef PMI_MAPPING_H_INCLUDED
#define PMI_MAPPING_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

#define MPIR_PMI_BLOCKS_MAX 4096 /* after repeats are written out; more is refused */

typedef struct MPIR_Pmi_block {
    int node, count, ranks; /* nodes node .. node+count-1, with so many ranks each */
} MPIR_Pmi_block;

typedef struct MPIR_Pmi_mapping {
    int n, max;
    long long period; /* ranks until the list starts over */
    MPIR_Pmi_block *block;
} MPIR_Pmi_mapping;

/* Parse; false: nothing is held and *why says what is wrong. */
bool MPIR_Pmi_mapping_parse(const char *text, MPIR_Pmi_mapping *map, const char **why);
void MPIR_Pmi_mapping_free(MPIR_Pmi_mapping *map);

/* The node of a rank, >= 0. */
int MPIR_Pmi_mapping_node(const MPIR_Pmi_mapping *map, int rank);

/* How many of the first `size` ranks are on `node`; _ranks: and which, in order, if there are at most
 * `max`. */
int MPIR_Pmi_mapping_count(const MPIR_Pmi_mapping *map, int node, int size);
int MPIR_Pmi_mapping_ranks(const MPIR_Pmi_mapping *map, int node, int size, int *ranks, int max);

#endif /* PMI_MAPPING_H_INCLUDED */
