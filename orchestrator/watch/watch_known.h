/*
 * watch_known - files outside of a build that decide its replays: those that options name, and those that the last replay read.
 */
#ifndef L3R_ORCHESTRATOR_WATCH_WATCH_KNOWN_H
#define L3R_ORCHESTRATOR_WATCH_WATCH_KNOWN_H

#include "common/base/args.h"
#include "orchestrator/watch/watch_files.h"

/* Watch the files that options of `run` name (inputs, references, plans, sub-workers, comparators), and ignore where they have it write. */
int watch_known_options(struct watch_files *w, const struct args *options, struct error *err);

/* Watch what the last replay of the real path `build` read outside of it, as its list of these has it (docs/formats.md,
 * "Last replay"), also where a link in the build leads. A build without a list has none. */
int watch_known_files(struct watch_files *w, const char *build, struct error *err);

#endif
