/*
 * swimlane_read - reader of chip_swimlane_records.json, of all versions. Format: docs/formats.md, "Profiles of a dispatch".
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_SWIMLANE_READ_H
#define L3R_ORCHESTRATOR_PROFILES_SWIMLANE_READ_H

#include "orchestrator/profiles/swimlane.h"

/* Read `path`. What is wrong or missing in a readable file becomes notes, and what could be read is kept; -1 when the
 * file cannot be read at all or memory runs out. The caller frees `s` in every case. */
int swimlane_read(const char *path, struct swimlane *s, struct notes *notes, struct error *err);

#endif
