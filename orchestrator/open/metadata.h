/*
 * metadata - distributed_meta.json and compiled_meta.json of a build.
 *
 * Format: docs/formats.md, "distributed_meta.json". The file is user input:
 * every field is checked, and every fault is one error with file, field and hint.
 */
#ifndef L3R_ORCHESTRATOR_OPEN_METADATA_H
#define L3R_ORCHESTRATOR_OPEN_METADATA_H

#include "orchestrator/open/build_info.h"

/* Read the metadata file at `path` for a build of kind `out->kind` into `out`, of which parameters, platform,
 * backend_type, counts, device ids and runtime are filled. On failure `out` is left for build_free(). */
int metadata_read(const char *path, struct build *out, struct error *err);

/* The same from the file's text (NUL-terminated at `size`); `path` is named in errors. */
int metadata_parse(const char *path, const char *text, size_t size, struct build *out, struct error *err);

#endif
