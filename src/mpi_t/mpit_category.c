/* Categories of MPI_T: one for each folder that declares variables, none within another. They never change. */
#include "mpit.h"

#include <string.h>

static const MPIR_Category *find(int cat_index)
{
    return cat_index >= 0 && cat_index < MPIR_category_count ? &MPIR_category_table[cat_index]
                                                             : NULL;
}

int MPIR_T_category_get_num_impl(int *num_cat)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    *num_cat = MPIR_category_count;
    return MPI_SUCCESS;
}

int MPIR_T_category_get_info_impl(int cat_index, char *name, int *name_len, char *desc,
                                  int *desc_len, int *num_cvars, int *num_pvars,
                                  int *num_categories)
{
    const MPIR_Category *c = find(cat_index);

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!c)
        return MPI_T_ERR_INVALID_INDEX;
    MPII_T_put_string(c->name, name, name_len);
    MPII_T_put_string(c->help, desc, desc_len);
    MPII_T_put_int(c->n_cvars, num_cvars);
    MPII_T_put_int(c->n_pvars, num_pvars);
    MPII_T_put_int(0, num_categories);
    return MPI_SUCCESS;
}

int MPIR_T_category_get_num_events_impl(int cat_index, int *num_events)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!find(cat_index))
        return MPI_T_ERR_INVALID_INDEX;
    *num_events = 0;
    return MPI_SUCCESS;
}

int MPIR_T_category_get_index_impl(const char *name, int *cat_index)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !cat_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < MPIR_category_count; i++) {
        if (strcmp(MPIR_category_table[i].name, name) == 0) {
            *cat_index = i;
            return MPI_SUCCESS;
        }
    }
    return MPI_T_ERR_INVALID_NAME;
}

/* Copy the first `len` of `n` indices. */
static int put_indices(const int *from, int n, int len, int *to)
{
    if (len < 0 || (len > 0 && !to))
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < MPL_MIN(n, len); i++)
        to[i] = from[i];
    return MPI_SUCCESS;
}

int MPIR_T_category_get_cvars_impl(int cat_index, int len, int indices[])
{
    const MPIR_Category *c = find(cat_index);

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    return c ? put_indices(c->cvars, c->n_cvars, len, indices) : MPI_T_ERR_INVALID_INDEX;
}

int MPIR_T_category_get_pvars_impl(int cat_index, int len, int indices[])
{
    const MPIR_Category *c = find(cat_index);

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    return c ? put_indices(c->pvars, c->n_pvars, len, indices) : MPI_T_ERR_INVALID_INDEX;
}

int MPIR_T_category_get_categories_impl(int cat_index, int len, int indices[])
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    return find(cat_index) ? put_indices(NULL, 0, len, indices) : MPI_T_ERR_INVALID_INDEX;
}

int MPIR_T_category_changed_impl(int *update_number)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    *update_number = 0;
    return MPI_SUCCESS;
}
