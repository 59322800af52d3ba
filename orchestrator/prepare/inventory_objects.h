/*
 * inventory_objects - the part of an inventory (inventory.h) that the compile stage knows: sources, headers, compilers.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_INVENTORY_OBJECTS_H
#define L3R_ORCHESTRATOR_PREPARE_INVENTORY_OBJECTS_H

#include "common/plan/program_table.h"
#include "orchestrator/open/build_info.h"
#include "orchestrator/prepare/inventory.h"
#include "orchestrator/prepare/real_paths.h"
#include "rank-worker/compile/compile.h"

/* Kernels and orchestrations, their headers, and the compilers: appended to `out`. */
int inventory_take_objects(struct inventory *out, const struct build *build, const struct program_table *programs,
                           const struct compiled *compiled, struct error *err);

/* Where the directories are whose headers are not the build's. */
struct inventory_roots {
    char *pto, *own; /* NULL: none */
    struct real_paths paths;
};
int inventory_roots_open(struct inventory_roots *r, struct error *err);
void inventory_roots_close(struct inventory_roots *r);

/* What a header of `made` is called, in `*name` (to be freed), and its group: paths below the build, PTO-ISA or our own
 * headers are relative to these. `source` is the path of the source that read it. */
int inventory_header_name(struct inventory_roots *r, const char *build_dir, const struct made_of *made, size_t i,
                          const char *source, enum inventory_group *group, char **name, struct error *err);

/* What kernel `k` of a program (NKERNEL: its orchestration) is called: "kernel <program>/<file>", to be freed; NULL: no
 * memory. */
char *inventory_source_name(const struct program *p, size_t k);

#endif
