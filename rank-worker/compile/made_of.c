#include "rank-worker/compile/made_of.h"

#include <stdlib.h>
#include <string.h>

char *made_of_path(const struct made_of *m, size_t i, const char *dir)
{
    const char *name = m->headers.v[i];

    return strncmp(name, "./", 2) == 0 ? text_format("%s/%s", dir, name + 2) : strdup(name);
}

void made_of_free(struct made_of *m)
{
    args_free(&m->headers);
    free(m->contents);
    *m = (struct made_of){0};
}
