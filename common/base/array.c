#include "common/base/array.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

int array_reserve(void *data, size_t *capacity, size_t count, size_t more, size_t size)
{
    size_t wanted = *capacity ? *capacity + *capacity / 2 : FIRST_CAPACITY;
    void *old, *grown;

    if (more <= *capacity && count <= *capacity - more) {
        return 0;
    }
    if (count > SIZE_MAX - more) {
        return -1;
    }
    if (wanted < count + more) {
        wanted = count + more;
    }
    if (wanted > SIZE_MAX / 2 / size) {
        return -1;
    }
    memcpy(&old, data, sizeof old);
    grown = realloc(old, wanted * size);
    if (!grown) {
        return -1;
    }
    memcpy(data, &grown, sizeof grown);
    *capacity = wanted;
    /* cppcheck-suppress memleak ; the caller has it, through `data` */
    return 0;
}

int array_room(void *data, size_t *capacity, size_t count, size_t size)
{
    size_t old_capacity = *capacity;
    char *items;

    if (array_reserve(data, capacity, count, 1, size)) {
        return -1;
    }
    if (*capacity > old_capacity) {
        memcpy(&items, data, sizeof items);
        memset(items + old_capacity * size, 0, (*capacity - old_capacity) * size);
    }
    return 0;
}

void notes_add(struct notes *notes, const char *fmt, ...)
{
    char *text;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) {
        notes->failed = true;
        return;
    }
    if (array_room(&notes->items, &notes->capacity, notes->count, sizeof *notes->items)) {
        free(text);
        notes->failed = true;
        return;
    }
    notes->items[notes->count++] = text;
}

void notes_free(struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->items[i]);
    }
    free(notes->items);
    memset(notes, 0, sizeof *notes);
}
