#include "rank-worker/compile/made_of.h"

#include <stdlib.h>
#include <string.h>

char *made_of_path(const struct made_of *m, size_t i, const char *dir)
{
    const char *name = m->headers.v[i];

    return strncmp(name, "./", 2) == 0 ? text_format("%s/%s", dir, name + 2) : strdup(name);
}

int made_of_copy(const struct made_of *from, struct made_of *to)
{
    *to = (struct made_of){.known = from->known, .source = from->source};
    args_add_all(&to->headers, (const char *const *)from->headers.v, from->headers.n);
    to->contents = calloc(from->headers.n + 1, sizeof *to->contents);
    if (!to->contents || to->headers.failed) {
        return -1;
    }
    for (size_t i = 0; i < from->headers.n; i++) {
        to->contents[i] = from->contents[i];
    }
    return 0;
}

bool made_of_equal(const struct made_of *a, const struct made_of *b)
{
    bool same = a->known && b->known && key_equal(a->source, b->source) && a->headers.n == b->headers.n;

    for (size_t i = 0; same && i < a->headers.n; i++) {
        same = key_equal(a->contents[i], b->contents[i]) && strcmp(a->headers.v[i], b->headers.v[i]) == 0;
    }
    return same;
}

void made_of_free(struct made_of *m)
{
    args_free(&m->headers);
    free(m->contents);
    *m = (struct made_of){0};
}
