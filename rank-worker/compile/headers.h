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
 * header that the store has is used. Else it is made when enough kernels wait for it to pay at once, or when a
 * run before this one wanted it too: someone is editing kernels. */
int headers_plan(struct unit *headers, struct unit *kernels, size_t n, const struct unit_env *env, int jobs,
                 struct error *err);

#endif
