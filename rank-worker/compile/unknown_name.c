#include "rank-worker/compile/unknown_name.h"

#include <stdio.h>
#include <string.h>

/* What stands before and after the name; the quotes are those of the C locale. */
static const struct form {
    enum unknown_kind kind;
    const char *before, *after;
} forms[] = {
    {UNKNOWN_HEADER, "fatal error: '", "' file not found"},
    {UNKNOWN_HEADER, "fatal error: ", ": No such file or directory"},
    {UNKNOWN_IDENTIFIER, "error: use of undeclared identifier '", "'"},
    {UNKNOWN_IDENTIFIER, "error: unknown type name '", "'"},
    {UNKNOWN_IDENTIFIER, "error: no member named '", "'"},
    {UNKNOWN_IDENTIFIER, "error: no type named '", "'"},
    {UNKNOWN_IDENTIFIER, "error: '", "' was not declared"},
    {UNKNOWN_IDENTIFIER, "error: '", "' does not name a type"},
    {UNKNOWN_IDENTIFIER, "error: '", "' has not been declared"},
    {UNKNOWN_IDENTIFIER, "error: '", "' is not a member of"},
};

/* The name's place in the line, or NULL when the line has another form. */
static const char *match(const struct form *f, const char *line, size_t length, size_t *nname)
{
    const char *begin = memmem(line, length, f->before, strlen(f->before)), *end;

    if (!begin) {
        return NULL;
    }
    begin += strlen(f->before);
    end = memmem(begin, (size_t)(line + length - begin), f->after, strlen(f->after));
    if (!end || end == begin || memchr(begin, ' ', (size_t)(end - begin))) {
        return NULL;
    }
    *nname = (size_t)(end - begin);
    return begin;
}

enum unknown_kind unknown_name(const char *messages, char *name, size_t size)
{
    for (const char *line = messages; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n"), nname;

        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            const char *found = match(&forms[i], line, length, &nname);

            if (found) {
                snprintf(name, size, "%.*s", (int)nname, found);
                return forms[i].kind;
            }
        }
    }
    name[0] = '\0';
    return UNKNOWN_NOTHING;
}
