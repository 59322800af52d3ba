/*
 * deps - which headers a source read: the compiler's dependency file, and the list that the store keeps.
 *
 * Paths below the source's own directory are kept relative to it ("./k.h",
 * "./../common.h"), so that a moved build, or a second program with the same
 * source, finds the same object.
 */
#ifndef L3R_RANK_WORKER_COMPILE_DEPS_H
#define L3R_RANK_WORKER_COMPILE_DEPS_H

#include "common/base/args.h"
#include "rank-worker/compile/hashes.h"
#include "rank-worker/compile/made_of.h"

/* Where a compiler ran, and on what. */
struct deps_places {
    const char *dir;            /* of the source */
    const char *cwd;            /* that the compiler ran in; NULL: it was given absolute paths only */
    const char *source, *other; /* files that are no headers; `other` may be NULL */
};

/* Read a make-style dependency file (-MD) into `headers`: everything named after the colon but `source` and `other`;
 * sorted, each once, in the form above. */
int deps_read(const char *path, const struct deps_places *places, struct args *headers, struct error *err);

/* Read a list kept by deps_save. 1 read, 0 when there is none or it is no list, -1 on error. */
int deps_load(const char *path, struct args *headers, struct error *err);
int deps_save(const struct store *s, const char *path, const struct args *headers, struct error *err);

/* Hash over `first` and names and contents of all headers of `made`, whose contents are filled; `newest` as in
 * hashes_file(). 1, or 0 when one cannot be read now, -1 on error. */
int deps_key(struct hashes *hashes, const char *dir, struct made_of *made, struct key first, struct key *key,
             struct timespec *newest, struct error *err);

#endif
