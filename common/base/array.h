/*
 * array - growing arrays, and lists of texts for people.
 *
 * An array is a malloc'd pointer, a count and a capacity in a struct of its user's. It grows by half, so n appends cost
 * O(n) copies. A zeroed pointer and capacity are an empty array; the user frees the pointer.
 */
#ifndef L3R_COMMON_BASE_ARRAY_H
#define L3R_COMMON_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Make room for `more` elements of `size` bytes behind the first `count`, in the malloc'd array that `data` (a pointer to
 * a pointer) points to. What new room holds is not defined. Returns -1 when out of memory, or the size exceeds
 * the address space; the array is then as it was. */
int array_reserve(void *data, size_t *capacity, size_t count, size_t more, size_t size);

/* The same for one element, and all new room holds zeros: for small arrays whose elements are filled piece by piece. */
int array_room(void *data, size_t *capacity, size_t count, size_t size);

/* Texts in the order they came. `failed` says that one was lost for want of memory. */
struct notes {
    char **items;
    size_t count, capacity;
    bool failed;
};

void notes_add(struct notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void notes_free(struct notes *notes); /* a zeroed struct is fine */

#endif
