/* Process sets that the server knows; asked for once. A server that does not know of process sets
 * says so at once, and then there are none. See pmix_impl.h. */
#include "mpichconf.h"

#ifdef HAVE_PMIX
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pmi_backend.h"
#include "../wire/pmi_wire.h"
#include "mpl.h"
#include "pmix_impl.h"

#define NAMES_MAX 1024 /* sets; more are not taken */

static void free_array(pmix_data_array_t *array)
{
    if (!array)
        return;
    if (array->type == PMIX_STRING) {
        for (size_t i = 0; i < array->size; i++)
            free(((char **) array->array)[i]);
    }
    free(array->array);
    free(array);
}

static void free_results(pmix_info_t *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pmix_value_t *v = &results[i].value;
        if (v->type == PMIX_STRING)
            free(v->data.string);
        else if (v->type == PMIX_DATA_ARRAY)
            free_array(v->data.darray);
    }
    free(results);
}

/* One question; returns how many answers, which the caller frees. */
static size_t query(const char *key, const char *pset, pmix_info_t **results)
{
    pmix_info_t qualifier = { .key = PMIX_PSET_NAME, .value = { .type = PMIX_STRING } };
    char *keys[] = { (char *) key, NULL };
    pmix_query_t q = { .keys = keys };
    size_t n = 0;

    qualifier.value.data.string = (char *) pset;
    if (pset) {
        q.qualifiers = &qualifier;
        q.nqual = 1;
    }
    *results = NULL;
    return MPIR_Pmix.query(&q, 1, results, &n) == PMIX_SUCCESS && *results ? n : 0;
}

static int compare_ranks(const void *a, const void *b)
{
    pmix_rank_t x = *(const pmix_rank_t *) a, y = *(const pmix_rank_t *) b;
    return (x > y) - (x < y);
}

/* "0,2-5" of sorted ranks. */
static void write_ranks(const pmix_rank_t *rank, size_t n, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0, last; i < n && used < size; i = last + 1) {
        for (last = i; last + 1 < n && rank[last + 1] <= rank[last] + 1; last++)
            ;
        const char *comma = i ? "," : "";
        int more = rank[last] == rank[i]
                       ? snprintf(text + used, size - used, "%s%u", comma, rank[i])
                       : snprintf(text + used, size - used, "%s%u-%u", comma, rank[i], rank[last]);
        used += (size_t) more;
    }
}

/* Sets with a process of another job cannot be groups of this one: they are left out. */
static void add_set(const char *name, const pmix_proc_t *member, size_t n)
{
    pmix_rank_t *rank = malloc(n * sizeof(*rank));
    char *text = malloc(n * 24 + 1); /* two ranks of 10 digits, a dash and a comma for each */
    bool good = rank && text && n > 0;

    for (size_t i = 0; good && i < n; i++) {
        good = strcmp(member[i].nspace, MPIR_Pmix_me.nspace) == 0 && member[i].rank < 0x7fffffff;
        rank[i] = member[i].rank;
    }
    if (good) {
        qsort(rank, n, sizeof(*rank), compare_ranks);
        write_ranks(rank, n, text, n * 24 + 1);
        MPIR_Pmi_pset_add(name, text);
    }
    free(rank);
    free(text);
}

static void find_members(const char *name)
{
    pmix_info_t *results;
    size_t n = query(PMIX_QUERY_PSET_MEMBERSHIP, name, &results);

    for (size_t i = 0; i < n; i++) {
        const pmix_value_t *v = &results[i].value;
        if (v->type == PMIX_DATA_ARRAY && v->data.darray && v->data.darray->type == PMIX_PROC) {
            add_set(name, v->data.darray->array, v->data.darray->size);
            break;
        }
    }
    free_results(results, n);
}

static void take_name(const char *name)
{
    if (name && MPIR_Pmi_pset_name_valid(name, strlen(name)))
        find_members(name);
}

/* "a,b,c" */
static void take_list(const char *names)
{
    char *copy = strdup(names), *rest = copy;

    for (int i = 0; rest && *rest && i < NAMES_MAX; i++)
        take_name(strsep(&rest, ","));
    free(copy);
}

/* The standard of PMIx has an array of names, the servers of OpenPMIx send a list. */
static void take_names(const pmix_value_t *v)
{
    if (v->type == PMIX_STRING && v->data.string)
        take_list(v->data.string);
    else if (v->type == PMIX_DATA_ARRAY && v->data.darray && v->data.darray->type == PMIX_STRING)
        for (size_t i = 0; i < v->data.darray->size && i < NAMES_MAX; i++)
            take_name(((char **) v->data.darray->array)[i]);
}

void MPIR_Pmix_find_psets(void)
{
    pmix_info_t *results;
    size_t n = query(PMIX_QUERY_PSET_NAMES, NULL, &results);

    for (size_t i = 0; i < n; i++)
        take_names(&results[i].value);
    free_results(results, n);
}

#endif /* HAVE_PMIX */
