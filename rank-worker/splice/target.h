/*
 * target - a kernel's source, in whose middle the body of a function stands.
 *
 * Every byte up to the end of the first mark, and from the second mark on, is the user's and stays.
 * Format: docs/formats.md, "From .pto to a kernel's source".
 */
#ifndef L3R_RANK_WORKER_SPLICE_TARGET_H
#define L3R_RANK_WORKER_SPLICE_TARGET_H

#include "rank-worker/splice/text.h"

#define TARGET_BEGIN_MARK "// --- ptoas-generated code ---"
#define TARGET_END_MARK "// --- Kernel entry point ---"

/* What stands between the marks of `text`, and what stands around it. `shown` names the file in the error of a text
 * without both marks in this order. */
struct target_parts {
    struct span head, body, tail; /* head ends in the first mark, tail begins with the second */
};
int target_split(struct span text, const char *shown, struct target_parts *out, struct error *err);

/* The text anew with `body` in the middle; `*fresh` to be freed. */
int target_join(const struct target_parts *parts, struct span body, char **fresh, size_t *size, struct error *err);

/* Path, relative to the program's directory `dir`, of the kernel whose function is `name`: kernels/aic/<name>.cpp, else
 * kernels/aiv/<name>.cpp; to be freed. NULL when there is none, or without memory (then `err` is filled and
 * `*failed` true). */
char *target_path(const char *dir, struct span name, bool *failed, struct error *err);

#endif
