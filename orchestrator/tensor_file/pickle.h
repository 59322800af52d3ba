/*
 * pickle - the part of Python's pickles that saved tensors need, as a tree of values.
 *
 * Nothing is imported or called: a call stays a value of function and arguments, and a function or class that the caller
 * does not allow is an error that names it. Protocols 2 to 5. Format: docs/formats.md, ".pt files".
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_PICKLE_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum pickle_kind {
    PICKLE_NONE = 0,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_FLOAT, /* its number is not kept */
    PICKLE_TEXT,
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,       /* items: key, value, key, value, ... */
    PICKLE_GLOBAL,     /* a function or class: text is "module", then '\0', then "name", then '\0' */
    PICKLE_PERSISTENT, /* items[0]: what identifies something outside of the pickle */
    PICKLE_CALL,       /* items: function, arguments, and then as of a dict */
};

struct pickle_value {
    enum pickle_kind kind;
    int64_t integer;
    char *text; /* NUL-terminated; may hold others before its end */
    size_t length;
    uint32_t *items; /* numbers of other values */
    size_t count, capacity;
};

struct pickle {
    struct pickle_value *values;
    size_t count, capacity;
    uint32_t root;
};

/* Functions and classes that a pickle may name; the last entry has no name. */
struct pickle_global {
    const char *module, *name;
};

/* Read `size` bytes; `origin` is named in errors. `out` is zeroed by the caller; pickle_free() cleans up in any case. Values
 * can contain each other in circles. */
int pickle_read(const void *bytes, size_t size, const struct pickle_global *allowed, const char *origin,
                struct pickle *out, struct error *err);
void pickle_free(struct pickle *p);

/* Is `v` the function or class module.name? */
bool pickle_is_global(const struct pickle_value *v, const char *module, const char *name);

/* Item number `index` of `v`; NULL when it has fewer. */
const struct pickle_value *pickle_item(const struct pickle *p, const struct pickle_value *v, size_t index);

#endif
