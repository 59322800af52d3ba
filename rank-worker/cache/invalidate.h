/*
 * invalidate - delete what compiles left in a build, so that the sources are compiled again.
 *
 * Deleted are, in each program's directory, cache/binary_context.json, .l3replay.made, the .bin files of cache/, and every .so and
 * .o under kernels/ and orchestration/ at any depth, and what a killed process of ours left of writing one of these.
 * Sources are never touched, and nothing outside of the build is.
 * Format: docs/formats.md, "Binaries in a build".
 */
#ifndef L3R_RANK_WORKER_CACHE_INVALIDATE_H
#define L3R_RANK_WORKER_CACHE_INVALIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"

struct invalidate_options {
    bool off;          /* --no-recompile: only say that it is skipped */
    bool keep_current; /* leave binaries that are made of what sources and headers are now (made_file.h) */
    int lock_timeout;  /* seconds to wait for a process that compiles there; 0: no limit */
    FILE *lines;       /* where the line for the user goes; NULL: nowhere */
};

/* The whole build: its root and every program's directory, each under its own lock. `*removed` (may be NULL) is the
 * number of binaries deleted, without stamps and unfinished files. A directory without any of these is not written to,
 * nor made. */
int invalidate_build(const char *build, const struct invalidate_options *options, uint32_t *removed, struct error *err);

/* One program's directory, whose lock the caller holds: the stamp goes first, so that a failure on the way
 * leaves binaries that nobody trusts. `root` is the build (resolved) that must not be left; adds to `*removed`. */
int invalidate_program(const char *root, const char *dir, uint32_t *removed, struct error *err);

#endif
