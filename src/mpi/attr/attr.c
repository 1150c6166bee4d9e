/* Attribute lists. Callbacks of the user may change the very list that is being worked on: so
 * nothing is held in a local pointer across a callback but what was taken out of the list, or
 * counted, before. */
#include <stdlib.h>

#include "attr_internal.h"

static MPIR_Attr **find(MPIR_Attr **list, const MPIR_Keyval *kv)
{
    while (*list && (*list)->keyval != kv)
        list = &(*list)->next;
    return list;
}

static void push(MPIR_Attr **list, MPIR_Attr *attr)
{
    attr->next = *list;
    *list = attr;
}

static void destroy(MPIR_Attr *attr)
{
    MPII_Keyval_release(attr->keyval);
    free(attr);
}

static MPIR_Attr *create(MPIR_Keyval *kv, void *value)
{
    MPIR_Attr *attr = malloc(sizeof *attr);
    if (attr) {
        *attr = (MPIR_Attr) { .keyval = kv, .value = value };
        MPIR_Object_add_ref(&kv->obj);
    }
    return attr;
}

static int callback_result(const char *which, const MPIR_Keyval *kv, int result)
{
    return result == MPI_SUCCESS
        ? MPI_SUCCESS
        : MPIR_Err("**attr_callback", which, (unsigned) kv->obj.handle, result);
}

/* The attribute is out of its list; on failure it goes back to the front. */
static int delete_one(MPIR_Attr **list, int handle, MPIR_Attr *attr)
{
    MPIR_Keyval *kv = attr->keyval;
    int result =
        kv->del ? kv->del(handle, kv->obj.handle, attr->value, kv->extra_state) : MPI_SUCCESS;
    int ret = callback_result("delete", kv, result);
    if (ret && !*find(list, kv)) /* else the callback itself has set a new one */
        push(list, attr);
    else
        destroy(attr);
    return ret;
}

static int take_and_delete(MPIR_Attr **list, int handle, MPIR_Attr **place)
{
    MPIR_Attr *attr = *place;
    *place = attr->next;
    return delete_one(list, handle, attr);
}

/* ---- one attribute --------------------------------------------------------------------------- */

bool MPII_Attr_get(const MPIR_Attr *list, const MPIR_Keyval *kv, void **value)
{
    const MPIR_Attr *attr = *find((MPIR_Attr **) &list, kv);
    if (attr)
        *value = attr->value;
    return attr;
}

int MPII_Attr_delete(MPIR_Attr **list, int handle, MPIR_Keyval *kv)
{
    MPIR_Attr **place = find(list, kv);
    if (!*place)
        return MPIR_Err("**attr_none", (unsigned) kv->obj.handle);
    return take_and_delete(list, handle, place);
}

/* Setting anew deletes the old value first and counts as the latest setting. */
int MPII_Attr_set(MPIR_Attr **list, int handle, MPIR_Keyval *kv, void *value)
{
    MPIR_Attr *attr = create(kv, value);
    if (!attr)
        return MPIR_Err("**attr_nomem");
    int ret = MPI_SUCCESS;
    for (MPIR_Attr **place; !ret && *(place = find(list, kv));)
        ret = take_and_delete(list, handle, place);
    if (ret)
        destroy(attr);
    else
        push(list, attr);
    return ret;
}

/* ---- whole lists ----------------------------------------------------------------------------- */

int MPIR_Attr_delete_all(MPIR_Attr **list, int handle)
{
    int ret = MPI_SUCCESS;
    while (*list && !ret)
        ret = take_and_delete(list, handle, list);
    return ret;
}

void MPIR_Attr_drop_all(MPIR_Attr **list)
{
    for (MPIR_Attr *attr; (attr = *list);) {
        *list = attr->next;
        destroy(attr);
    }
}

/* A copy of the list itself, oldest first: what the copy callbacks do to the original has no
 * effect on the walk. */
static int snapshot(const MPIR_Attr *list, MPIR_Attr **copy)
{
    *copy = NULL;
    for (; list; list = list->next) {
        MPIR_Attr *attr = create(list->keyval, list->value);
        if (!attr) {
            MPIR_Attr_drop_all(copy);
            return MPIR_Err("**attr_nomem");
        }
        push(copy, attr);
    }
    return MPI_SUCCESS;
}

/* Let the callback decide about attr, which becomes the new object's (and changes its value) or
 * goes. */
static int copy_one(MPIR_Attr *attr, int old_handle, MPIR_Attr **copy)
{
    MPIR_Keyval *kv = attr->keyval;
    void *value = NULL;
    int flag = 0, result = MPI_SUCCESS;
    if (kv->copy)
        result = kv->copy(old_handle, kv->obj.handle, kv->extra_state, attr->value, &value, &flag);
    if (result || !flag) {
        int ret = callback_result("copy", kv, result);
        destroy(attr);
        return ret;
    }
    attr->value = value;
    push(copy, attr);
    return MPI_SUCCESS;
}

int MPIR_Attr_copy_all(const MPIR_Attr *old, int old_handle, MPIR_Attr **copy)
{
    MPIR_Attr *todo, *done = NULL;
    int ret = snapshot(old, &todo);
    while (todo && !ret) {
        MPIR_Attr *attr = todo;
        todo = attr->next;
        ret = copy_one(attr, old_handle, &done);
    }
    if (ret) { /* no new object: what was copied for it is deleted, on behalf of the old one */
        MPIR_Attr_drop_all(&todo);
        MPIR_Attr_delete_all(&done, old_handle);
        MPIR_Attr_drop_all(&done);
        return ret;
    }
    *copy = done;
    return MPI_SUCCESS;
}
