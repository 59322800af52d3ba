/* golden_set - arrays of parameters, as .npy files: memfds that Python fills, or files of the object store. */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_SET_H
#define L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_SET_H

#include "orchestrator/data/inputs.h"
#include "orchestrator/user_python/golden_cache.h"

struct golden_set {
    size_t count;
    struct named_file *files; /* names of the build; paths owned */
    int *fds;                 /* memfds; -1: a file of the store */
};

/* Room for `count` arrays. */
int golden_set_make(struct golden_set *set, size_t count, struct error *err);
void golden_set_free(struct golden_set *set);

/* Give the memory of the arrays back, unless others have them open. */
void golden_set_close(struct golden_set *set);

/* Append an empty memfd for `param`, which Python is to fill. */
int golden_set_add(struct golden_set *set, const char *param, struct error *err);

/* Append those of an entry for `params`, in order. */
int golden_set_take(struct golden_set *set, const struct golden_entry *e, const char *const *params, struct error *err);

#endif
