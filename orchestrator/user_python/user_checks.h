/*
 * user_checks - comparisons that the user wrote: --compare NAME=FILE.py:FUNC, and an edited _user_compare of debug/run.py.
 *
 * They run in one Python when a run is over, on torch tensors over the segment's memory; what they write into these stays
 * in their process. Arguments: docs/formats.md, "Comparators of the user's".
 */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_USER_CHECKS_H
#define L3R_ORCHESTRATOR_USER_PYTHON_USER_CHECKS_H

#include "common/segment/segment.h"
#include "orchestrator/data/verify.h"
#include "orchestrator/user_python/golden.h"

struct user_check {
    uint32_t storage;
    char *file, *function;
    const char *label; /* "FILE.py:FUNC", as typed */
};

struct user_checks {
    size_t count;
    struct user_check *items;
    const struct build *build;
    char *script;   /* debug/run.py, whose _user_compare is called; NULL: it is not */
    double limit_s; /* for each; 0: no limit */
};

#define USER_CHECKS_SCRIPT "debug/run.py:_user_compare"

/* Whether each of them names a file that is there and has the function's name in it, before anything else is done. -1 with
 * `err` (usage). */
int user_checks_look(const struct named_file *given, size_t ngiven, struct error *err);

/* Bind what was typed to the plan's parameters, each of which must have a reference, and leave these comparisons out of `v`.
 * `golden` may be NULL. The strings of `given` must stay. -1 with `err` (usage): no such output, file or function. */
int user_checks_open(struct user_checks *out, const struct named_file *given, size_t ngiven, const struct plan *plan,
                     const struct build *build, const struct golden *golden, double limit_s, struct verify *v,
                     struct error *err);
void user_checks_free(struct user_checks *c); /* a zeroed struct is fine */

/* What one of them found. */
typedef void user_check_found(void *context, uint32_t storage, const char *label, bool matches,
                              const struct error *err);

/* Run all over a segment whose run is over, and call `found` for each output that one judged: for all outputs when it is
 * the script's. `err` of a call is FAIL for what does not match. -1 with `err` (INFRA) when one could not be run. */
int user_checks_run(const struct user_checks *c, const struct segment *seg, const struct verify *v,
                    struct tolerance tol, const struct golden_scalar *scalars, size_t nscalar, user_check_found *found,
                    void *context, struct error *err);

#endif
