/*
 * unit_command - the commands that make a unit's object.
 *
 * One command compiles and links, or two do: where ccache is installed, which keeps objects and not links (the store answers
 * for what this user compiled here before; ccache also for what was compiled elsewhere into the same cache, one that a team
 * shares, say), and for orchestrations of a runtime, which are linked with objects that they share. The result is the same.
 */
#ifndef L3R_RANK_WORKER_COMPILE_UNIT_COMMAND_H
#define L3R_RANK_WORKER_COMPILE_UNIT_COMMAND_H

#include "rank-worker/compile/units.h"

/* Let ccache take precompiled headers and use our dependency files (CCACHE_SLOPPINESS, CCACHE_DEPEND), unless the
 * user's environment says what it should. */
void ccache_environment(struct args *env);

/* Whether it takes two commands; `ccache` is the program, NULL: none. */
bool unit_is_linked_apart(const struct unit *u, const struct unit_env *env, const char *ccache);

/* The one command that stands for both, as it is shown to people. */
int unit_whole_command(const struct unit *u, const struct unit_env *env, struct args *out, struct error *err);

/* What has to be run next: all of it, or, with u->object_path set, the part that u->linking says. */
int unit_next_command(const struct unit *u, const struct unit_env *env, const char *ccache, struct args *out,
                      struct error *err);

#endif
