/*
 * build - open a build directory and check it, without side effects.
 *
 * Says which kind it is, reads distributed_meta.json, and lists the program
 * directories. Source: docs/formats.md, "Build directory" and "distributed_meta.json".
 * What kernel_config.py says is not read here (it is Python): see record/record.h.
 */
#ifndef L3R_ORCHESTRATOR_OPEN_BUILD_H
#define L3R_ORCHESTRATOR_OPEN_BUILD_H

#include "orchestrator/open/build_info.h"

/* Open `path`. Every fault of the directory or its metadata is one error with file, field and hint. To be
 * freed with build_free() after success. */
int build_open(const char *path, struct build *out, struct error *err);

#endif
