#include "common/base/array.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int array_room(void *data, size_t *capacity, size_t count, size_t size)
{
    size_t more = *capacity ? *capacity * 2 : 16;
    void *old, *grown;

    if (count < *capacity) {
        return 0;
    }
    if (more <= count) {
        more = count + 1;
    }
    if (more > SIZE_MAX / 2 / size) {
        return -1;
    }
    memcpy(&old, data, sizeof old);
    grown = realloc(old, more * size);
    if (!grown) {
        return -1;
    }
    memset((char *)grown + *capacity * size, 0, (more - *capacity) * size);
    memcpy(data, &grown, sizeof grown);
    *capacity = more;
    /* cppcheck-suppress memleak ; the caller has it, through `data` */
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
