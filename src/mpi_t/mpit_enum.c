/* Enumerations of MPI_T: what the integers of a variable mean. There is one. */
#include "mpit.h"

typedef struct Item {
    int value;
    const char *name;
} Item;

typedef struct Enum {
    const char *name;
    int n;
    const Item *item;
} Enum;

static const Item bool_items[] = { { 0, "off" }, { 1, "on" } };
static const Enum bool_enum = { "boolean", MPL_ARRAY_SIZE(bool_items), bool_items };

MPI_T_enum MPII_T_enum_bool(void)
{
    return (MPI_T_enum) (uintptr_t) &bool_enum;
}

static const Enum *find(MPI_T_enum enumtype)
{
    return enumtype == MPII_T_enum_bool() ? &bool_enum : NULL;
}

int MPIR_T_enum_get_info_impl(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    const Enum *e = find(enumtype);

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!e)
        return MPI_T_ERR_INVALID_HANDLE;
    MPII_T_put_int(e->n, num);
    MPII_T_put_string(e->name, name, name_len);
    return MPI_SUCCESS;
}

int MPIR_T_enum_get_item_impl(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
    const Enum *e = find(enumtype);

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!e)
        return MPI_T_ERR_INVALID_HANDLE;
    if (indx < 0 || indx >= e->n)
        return MPI_T_ERR_INVALID_INDEX;
    MPII_T_put_int(e->item[indx].value, value);
    MPII_T_put_string(e->item[indx].name, name, name_len);
    return MPI_SUCCESS;
}
