/* array - growing arrays and lists of texts for people, as the readers of profiles need them. */
#ifndef L3R_COMMON_BASE_ARRAY_H
#define L3R_COMMON_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Make room for element `count`, elements of `size` bytes, in the malloc'd array that `data` (a pointer to a pointer)
 * points to. New room holds zeros. -1 when out of memory; the array is then as it was. */
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
