/*
 * ccache - compile through ccache where it is installed.
 *
 * The store answers for what this user compiled here before; ccache also for what was compiled elsewhere into the same
 * cache (one that a team shares, say). It keeps objects and not links, so that a source is then compiled and
 * linked in two commands, with the same result.
 */
#ifndef L3R_RANK_WORKER_COMPILE_CCACHE_H
#define L3R_RANK_WORKER_COMPILE_CCACHE_H

#include "common/base/args.h"

/* Let ccache take precompiled headers and use our dependency files (CCACHE_SLOPPINESS, CCACHE_DEPEND), unless the
 * user's environment says what it should. */
void ccache_environment(struct args *env);

/* From the command `whole` that compiles and links `source` into `output` in one: the one that compiles it through
 * ccache into `object`, and the one that links that. */
void ccache_compile(const struct args *whole, const char *ccache, const char *output, const char *object,
                    struct args *out);
void ccache_link(const struct args *whole, const char *object, const char *output, struct args *out);

#endif
