/*
 * store_trim - how large the store is, and keeping it below a limit.
 */
#ifndef L3R_RANK_WORKER_COMPILE_STORE_TRIM_H
#define L3R_RANK_WORKER_COMPILE_STORE_TRIM_H

#include "rank-worker/compile/store.h"

/* Entries of the store and their bytes; what is known of compilers (tools/) is not counted, and not removed. */
struct store_size {
    uint64_t nbytes;
    uint64_t nobject, nheader, nlist; /* objects, precompiled headers, lists of headers */
    uint64_t ngolden;                 /* files of results of golden.py */
    uint64_t nrecording;              /* recordings of host_orch.py */
};

struct store_trimmed {
    uint64_t nentry, nbytes; /* removed */
    uint64_t nused;          /* would have gone, but a running process uses them */
    struct store_size left;
};

/* $L3REPLAY_CACHE_MAX in bytes: a number, also with K, M, G or T (powers of 1024) or KB and so on, in any case; else 5 GB.
 * 0 stands for no limit. */
int store_limit(uint64_t *nbytes, struct error *err);

int store_measure(const struct store *s, struct store_size *size, struct error *err);

/* Remove entries, the least recently used first, until `limit` bytes or fewer are left. What a running process has
 * looked up or made stays (store_use.h). -1 with `err` also when the file system has no locks: then nothing goes. */
int store_trim(const struct store *s, uint64_t limit, struct store_trimmed *out, struct error *err);

#endif
