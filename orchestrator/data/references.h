/*
 * references - the files that say what parameters must hold after the run, opened before anything of the build runs.
 *
 * --expect NAME=FILE[:KEY], then data/out/<name>.npy or .pt of the build for what is written. They stay open, so that nothing
 * that host_orch.py, a kernel or another process does to their names changes what is compared.
 */
#ifndef L3R_ORCHESTRATOR_DATA_REFERENCES_H
#define L3R_ORCHESTRATOR_DATA_REFERENCES_H

#include "orchestrator/data/inputs.h"
#include "orchestrator/tensor_file/tensor_pool.h"

struct reference {
    char *name;    /* the parameter's: in full, or as typed when `given` */
    char *path;    /* what messages call it */
    bool given;    /* by --expect */
    bool computed; /* by golden.py */
    const struct tensor_file *file;
    const struct tensor *tensor; /* of `file` */
};

struct references {
    size_t count, capacity;
    struct reference *items; /* given ones first */
    struct tensor_pool files;
};

/* Open what is `given`, and what `build` has for outputs without one; `build` may be NULL: it is not looked at. `out` is
 * zeroed; references_free() cleans up in any case. */
int references_open(struct references *out, const struct build *build, const struct named_file *given, size_t ngiven,
                    struct error *err);
/* Add what golden.py computed, for outputs without a reference; messages call it `label`. */
int references_add(struct references *out, const struct named_file *files, size_t count, const char *label,
                   struct error *err);

/* Is there something in data/out for an output of the build? */
bool references_has_build(const struct build *build);
void references_free(struct references *r);

#endif
