/* gather_wire - what both sides of gather.h must agree on. */
#ifndef L3R_ORCHESTRATOR_GATHER_GATHER_WIRE_H
#define L3R_ORCHESTRATOR_GATHER_GATHER_WIRE_H

#include "common/base/error.h"

enum { GATHER_TAG = 71 };

/* Where the token of a run lies while it goes on: "<dir>/.l3replay.<token>". To be freed. */
char *gather_token_path(const char *dir, const char *token, struct error *err);

#endif
