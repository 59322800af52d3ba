/*
 * binding - which Python function each sub-worker of a plan is.
 *
 * --sub-worker NAME=FILE.py, or FILE.py:FUNCTION, comes before the build's own
 * sub_workers/NAME.py. Names that __required__.json lists have no body of
 * their own and must be bound.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_BINDING_H
#define L3R_ORCHESTRATOR_PREPARE_BINDING_H

#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/plan/sheet.h"
#include "orchestrator/data/inputs.h"
#include "orchestrator/open/sub_worker_files.h"

struct binding {
    char *file; /* absolute */
    char *function;
};

struct bindings {
    uint32_t count; /* plan->nsub */
    struct binding *items;
};

/* Bind every sub-worker of `plan`; `given` is what was typed. Errors: a NAME that neither the build nor the plan
 * knows, or twice the same (ERROR_USAGE); a sub-worker that is called and not bound; a file that is not there or that
 * cannot be read; a call that passes the address of a domain, which means nothing to a sub-worker's process. */
int bindings_open(struct bindings *out, const struct sub_workers *of_build, const struct plan *plan,
                  const struct named_file *given, size_t ngiven, struct error *err);
void bindings_free(struct bindings *b); /* a zeroed struct is fine */

/* Write them to the sheet. */
int bindings_write(const struct bindings *b, const struct plan *plan, struct sheet_writer *w, struct error *err);

#endif
