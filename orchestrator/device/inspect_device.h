/*
 * inspect_device - what `l3replay inspect --device` shows: the devices of this host, and which of them can run a build.
 */
#ifndef L3R_ORCHESTRATOR_DEVICE_INSPECT_DEVICE_H
#define L3R_ORCHESTRATOR_DEVICE_INSPECT_DEVICE_H

#include "common/plan/program_table.h"
#include "orchestrator/open/build_info.h"

/* `build` and its programs: NULL, or asked for as well. `simpler_root`: of --simpler-root, or NULL. Prints to stdout. That
 * there is no runtime is part of what is shown, and no error. */
int inspect_device(const char *simpler_root, const struct build *build, const struct program_table *programs,
                   struct error *err);

#endif
