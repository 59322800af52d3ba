/*
 * dfx_missing - what the profiles of a dispatch lack: half of them make a picture that looks whole.
 *
 * Formats: docs/formats.md, "Profiles of a dispatch" and "l3_run.json", "captured".
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_DFX_MISSING_H
#define L3R_ORCHESTRATOR_PROFILES_DFX_MISSING_H

#include "orchestrator/profiles/dfx_read.h"
#include "orchestrator/profiles/run_captured.h"

/* Add to the notes of `d`, loaded from `entry`, a dispatch that ran: files that were captured and are not there, files
 * that do not fit together, and arguments whose bytes are not there. What is known not to have been captured is not
 * missed. -1 only when memory runs out. */
int dfx_missing_warn(const struct dfx_entry *entry, struct dfx_dispatch *d, const struct run_captured *captured,
                     struct error *err);

#endif
