/*
 * headers - which kernels to compile through a precompiled header.
 *
 * Reading PTO-ISA is most of a kernel's compile time. Kernels begin with the same preprocessor lines
 * up to pto-inst.hpp; those lines are compiled once into a header that clang reads instead (a kernel's own
 * lines are then guarded away, and the same object comes out).
 */
#ifndef L3R_RANK_WORKER_COMPILE_HEADERS_H
#define L3R_RANK_WORKER_COMPILE_HEADERS_H

#include "rank-worker/compile/units.h"

/* Fill headers[0..n) (unused ones: UNIT_DONE without an object) and point the waiting ones of the n kernels to them. A
 * header that the store has is used. Else it is made at once when enough kernels could use it; no kernel waits for it: those that
 * a core is free for before it is done are compiled without it. */
int headers_plan(struct unit *headers, struct unit *kernels, size_t n, const struct unit_env *env, int jobs,
                 struct error *err);

/* After the compile: order those of headers_plan() that were not made (headers_later.h). */
int headers_order_missing(struct unit *headers, size_t n, const struct unit_env *env, struct error *err);

#endif
