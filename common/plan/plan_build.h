/*
 * plan_build - make a plan piece by piece, as a recording arrives.
 *
 * A builder owns a plan under construction and the tables that intern its
 * text, shapes and views (equal views share one entry). Indices it hands out
 * are final. Everything added is checked against what is there already: an
 * index, view, lane or domain that cannot be is an error, as are a count that
 * no longer fits and want of memory. Errors leave `where` empty; a caller that
 * reads a file puts file and line there.
 */
#ifndef L3R_COMMON_PLAN_PLAN_BUILD_H
#define L3R_COMMON_PLAN_PLAN_BUILD_H

#include "common/plan/plan.h"

struct plan_builder;

/* NULL with `err` filled when out of memory. */
struct plan_builder *plan_builder_new(uint32_t world_size, struct error *err);
void plan_builder_free(struct plan_builder *b); /* NULL is fine */

/* The plan so far (valid until the next call on `b`). */
const struct plan *plan_builder_plan(const struct plan_builder *b);

/* Each returns the new index in `*out` (which may be NULL), or -1. */
int plan_add_text(struct plan_builder *b, const char *text, uint32_t *out, struct error *err);
int plan_add_program(struct plan_builder *b, const char *name, uint32_t *out, struct error *err);
int plan_add_sub(struct plan_builder *b, const char *name, uint32_t *out, struct error *err);

/* `proto->name` and `proto->dims` are ignored: `name` and `shape` (proto->ndim entries) are used. */
int plan_add_storage(struct plan_builder *b, const struct plan_storage *proto, const char *name, const int64_t *shape,
                     uint32_t *out, struct error *err);

/* Adds the domain and a PLAN_WINDOW storage of `window_nbytes` for each member. */
int plan_add_domain(struct plan_builder *b, const char *name, const uint32_t *workers, uint32_t nworkers,
                    uint64_t window_nbytes, uint32_t *out, struct error *err);
/* Name a part of the windows of the domain added last. */
int plan_add_buffer(struct plan_builder *b, const char *name, uint64_t offset, uint64_t nbytes, struct error *err);
int plan_end_domain(struct plan_builder *b, uint32_t domain, struct error *err);

int plan_add_note(struct plan_builder *b, const char *text, struct error *err);

/* `shape` and `stride` have ndim entries, strides in elements. Checked to lie within the storage. */
int plan_add_view(struct plan_builder *b, uint32_t storage, enum dtype dtype, uint64_t offset, uint32_t ndim,
                  const int64_t *shape, const int64_t *stride, uint32_t *out, struct error *err);

/* `proto`'s first_* fields are ignored; narg and nscalar count `args` and `scalars`. */
int plan_add_node(struct plan_builder *b, const struct plan_node *proto, const struct plan_arg *args,
                  const struct plan_scalar *scalars, uint32_t *out, struct error *err);

/* Hand the finished plan to `*out` and free the builder. Domains still open end after the last node. */
void plan_builder_finish(struct plan_builder *b, struct plan *out);

#endif
