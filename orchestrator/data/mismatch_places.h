/*
 * mismatch_places - where the elements of an output lie that differ: in which part of the tensor, how far off, and which node
 * of the plan wrote them last. That says more of a fault than its first elements.
 */
#ifndef L3R_ORCHESTRATOR_DATA_MISMATCH_PLACES_H
#define L3R_ORCHESTRATOR_DATA_MISMATCH_PLACES_H

#include "common/plan/plan.h"
#include "orchestrator/data/compare.h"

/* Distances in units in the last place, by power: 1, 2 to 4, 5 to 16, 17 to 256, 257 to 65536, more; and those that are none,
 * because one of the two is no number. */
enum { ULP_BUCKETS = 7, ULP_NONE = ULP_BUCKETS - 1, PLACES_WRITERS = 3 };

extern const char *const ulp_bucket_names[ULP_BUCKETS];

struct place_writer {
    uint32_t node;                /* of the plan; PLAN_NONE: nothing writes these elements */
    uint64_t written, mismatched; /* elements that it wrote last; those of them that differ */
};

struct mismatch_places {
    uint64_t mismatched;
    uint64_t low[PLAN_MAX_DIMS], high[PLAN_MAX_DIMS]; /* the smallest box that holds them: first and last index */
    uint64_t volume;                                  /* elements in it */
    bool has_ulps;                                    /* of a floating type, with references of the same type */
    uint64_t ulps[ULP_BUCKETS];
    bool has_writers; /* false: the tensor is too large to find out */
    uint32_t nwriter; /* whose elements differ, most mismatches first; more are left out */
    struct place_writer writers[PLACES_WRITERS];
    uint32_t nmore; /* writers that were left out */
};

/* Calls `visit` with `context` for each element that differs, in their order. */
typedef void mismatch_each(void *of, compare_visit *visit, void *context);

/* Find them, of an output that is known to differ: parameter `storage` of the plan. */
void mismatch_places_find(struct mismatch_places *out, const struct plan *plan, uint32_t storage, const void *actual,
                          enum dtype expected_type, const void *expected, mismatch_each *each, void *of);

/* Units in the last place between two elements of a floating type; UINT64_MAX where one is no number. */
uint64_t ulps_between(enum dtype type, const void *a, const void *b);

/* Log it: a line for the part of the tensor, one for distances, one for each writer. */
void mismatch_places_print(const struct mismatch_places *p, const struct plan *plan, uint32_t storage);

#endif
