/*
 * golden - inputs and references that Python of the build computes: golden.py, or an edited debug/run.py.
 *
 * Two steps, for references are computed from what a replay really begins with:
 *
 *   golden_open()      before recording: which of the two files there is something to do for, and what generate_inputs() or
 *                      _inline_inputs() gives for the parameters that nothing else feeds
 *   golden_compute()   once the segment is loaded: compute_golden() over the initial values of all parameters, for the outputs
 *                      that nothing else is a reference for
 *
 * Neither runs Python where an earlier replay has kept the result (golden_cache.h). Arrays come as .npy files: memfds, or files
 * of the object store. Rules: docs/formats.md, "golden.py".
 */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_H
#define L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/args.h"
#include "common/segment/segment.h"
#include "orchestrator/data/inputs.h"
#include "orchestrator/open/build_info.h"
#include "orchestrator/user_python/golden_options.h"

struct golden;

/* `given`: names of parameters that options feed, as typed. `*out` is NULL when neither file has anything to do. -1 with
 * `err` (INFRA): what golden.py raised, a missing torch, values that do not fit the parameters. The build must stay. */
int golden_open(struct golden **out, const struct build *build, const struct args *given,
                const struct golden_options *options, struct error *err);
void golden_free(struct golden *g); /* NULL is fine */

/* "golden.py" or "debug/run.py". */
const char *golden_label(const struct golden *g);

/* What it gives for parameters; owned by `g`. */
const struct named_file *golden_inputs(const struct golden *g, size_t *count);

/* The inputs were opened by those who read them: their memory goes when these close them. */
void golden_release_inputs(struct golden *g);

/* Is there a golden.py whose compute_golden() may be run? */
bool golden_computes(const struct golden *g);

/* A scalar parameter's value, as text that was typed or read. */
struct golden_scalar {
    const char *param, *text;
};

/* References for the outputs among parameter storages for which `lacking` is set; those that __outputs__ leaves out get
 * none. `seg` is loaded. Python is ended. */
int golden_compute(struct golden *g, const struct segment *seg, const bool *lacking,
                   const struct golden_scalar *scalars, size_t nscalar, struct error *err);
const struct named_file *golden_references(const struct golden *g, size_t *count);

/* RTOL and ATOL of the build's golden.py; each stays as it is where there is none. `g` may be NULL: then they are read from
 * the text of the file, where they stand as plain numbers. */
void golden_tolerance(const struct golden *g, const struct build *build, double *rtol, double *atol);

/* The file that was run, and those that it read or imported: absolute paths. */
const struct args *golden_files(const struct golden *g);

/* Has somebody edited _user_compare of debug/run.py, and is it called after the run? */
bool golden_calls_compare(const struct golden *g);

#endif
