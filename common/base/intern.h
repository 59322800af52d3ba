/*
 * intern - a hash table from content to the index where that content is kept.
 *
 * The content itself lives with the caller; the table holds indices and the
 * hashes of what they stand for. Open addressing, at most half full.
 */
#ifndef L3R_COMMON_BASE_INTERN_H
#define L3R_COMMON_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_slot {
    uint64_t value; /* index + 1; 0: free */
    uint64_t hash;
};

struct intern {
    struct intern_slot *slots;
    size_t capacity, used;
};

/* Whether the content kept at `value` equals `key`. */
typedef bool intern_same(const void *context, uint64_t value, const void *key);

/* The value kept under `key`, or -1 as uint64_t. */
uint64_t intern_find(const struct intern *table, uint64_t hash, intern_same *same, const void *context,
                     const void *key);

/* Add `value` under `hash`; the key must not be in the table. 0, or -1 when out of memory. */
int intern_add(struct intern *table, uint64_t hash, uint64_t value);

void intern_free(struct intern *table);

#endif
