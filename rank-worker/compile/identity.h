/*
 * identity - what binaries are built for today: the four texts of a stamp.
 *
 * Revisions of the stack are those of clean git checkouts. The cpu device compiles against headers of its own, so its
 * runtime revision says what those and the compilers are; it begins with "l3replay-" and so is never one that
 * the Python tools compute: they rebuild what we stamped, and we rebuild what they stamped. Rules:
 * docs/formats.md, "The stamp of binaries".
 */
#ifndef L3R_RANK_WORKER_COMPILE_IDENTITY_H
#define L3R_RANK_WORKER_COMPILE_IDENTITY_H

#include "common/base/error.h"

/* What binaries are built for. */
struct cache_identity {
    char *platform;
    char *runtime_name;
    char *runtime_revision; /* NULL: not known, so that nothing can be trusted */
    char *pto_isa_revision; /* the same */
};

struct toolchain;

#define IDENTITY_NO_PTO "l3replay-none" /* the revision of PTO-ISA of programs that do not use it */

/* Copies of four texts; the revisions may be NULL (not known). 0, or -1 without memory. */
int identity_make(const char *platform, const char *runtime_name, const char *runtime_revision,
                  const char *pto_isa_revision, struct cache_identity *out, struct error *err);
void identity_free(struct cache_identity *id);

/* The revision of the git checkout whose top directory is `dir`, to be freed. NULL when it is no checkout, has
 * changed or untracked files, or git does not answer within 5 s; `why` (may be NULL) gets a few words. */
char *identity_checkout(const char *dir, const char **why);

/* "l3replay-content-<32 hex>" over names and bytes of every file below `dir`, to be freed; NULL with `err` filled when
 * something cannot be read. Links are followed; .git directories are left out. */
char *identity_content(const char *dir, struct error *err);

/* Revision of what is ours in the cpu device's binaries, to be freed: the headers in `include`, the compilers as
 * toolchain_find() gave them, and the flags. NULL with `err` filled. */
char *identity_cpu_revision(const char *include, const struct toolchain *kernel, const struct toolchain *orchestration,
                            struct error *err);

/* Revision of the PTO-ISA at `root`, to be freed: that of its clean checkout, else the content of its include directory;
 * IDENTITY_NO_PTO when `root` is NULL or "". NULL with `err` filled. */
char *identity_pto_revision(const char *root, struct error *err);

#endif
