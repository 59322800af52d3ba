/*
 * no_metadata - what is taken where an L2 build has no compiled_meta.json.
 */
#ifndef L3R_ORCHESTRATOR_OPEN_NO_METADATA_H
#define L3R_ORCHESTRATOR_OPEN_NO_METADATA_H

#include "orchestrator/open/build_info.h"

/* Platform and backend of the L3 build in whose next_levels/ the build lies, else the default ones; device 0; no
 * parameters. A note says so. On failure `out` is left for build_free(). */
int no_metadata_fill(struct build *out, struct error *err);

#endif
