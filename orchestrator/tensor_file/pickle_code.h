/*
 * pickle_code - the instructions of a pickle and their arguments, read from its bytes.
 *
 * pickle.c does what they say.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_PICKLE_CODE_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_PICKLE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum pickle_action {
    PICKLE_UNKNOWN = 0,
    PICKLE_NOTHING,
    PICKLE_STOP,
    PICKLE_PUSH_NONE,
    PICKLE_PUSH_BOOL, /* count: which */
    PICKLE_PUSH_INT,
    PICKLE_PUSH_FLOAT,
    PICKLE_PUSH_TEXT,
    PICKLE_MARK,
    PICKLE_POP,
    PICKLE_PUT,
    PICKLE_MEMOIZE,
    PICKLE_GET,
    PICKLE_GATHER_TUPLE, /* of `count` values */
    PICKLE_GATHER_LIST,  /* empty */
    PICKLE_GATHER_DICT,
    PICKLE_MARKED_TUPLE, /* of what is above the mark */
    PICKLE_MARKED_LIST,
    PICKLE_MARKED_DICT,
    PICKLE_FILL_ONE,    /* `count` values go into a list (1) or dict (2) */
    PICKLE_FILL_MARKED, /* the same of all above the mark */
    PICKLE_NAMED_GLOBAL,
    PICKLE_STACK_GLOBAL,
    PICKLE_PERSISTENT_ID,
    PICKLE_REDUCE,
    PICKLE_BUILD,
};

enum pickle_form {
    PICKLE_FORM_NONE = 0,
    PICKLE_FORM_SIGNED,   /* `width` bytes, little-endian */
    PICKLE_FORM_UNSIGNED, /* the same */
    PICKLE_FORM_BYTES,    /* a length of `width` bytes and so many bytes: a text */
    PICKLE_FORM_LONG,     /* the same: a signed number */
};

struct pickle_code {
    enum pickle_action action;
    enum pickle_form form;
    uint8_t width;
    uint8_t count;
};

struct pickle_reader {
    const unsigned char *bytes;
    size_t size, at;
    const char *origin; /* for errors */
    struct error *err;
};

struct pickle_argument {
    int64_t integer;
    const char *text; /* not terminated; in the reader's bytes */
    size_t length;
};

/* The next instruction; NULL with the error filled: there is none, or one that saved tensors do not need. */
const struct pickle_code *pickle_reader_code(struct pickle_reader *r);

/* Its argument. */
int pickle_reader_argument(struct pickle_reader *r, const struct pickle_code *code, struct pickle_argument *out);

/* A text up to the end of its line. */
int pickle_reader_line(struct pickle_reader *r, const char **text, size_t *length);

/* Fill the error and return -1: the pickle is unusable, because `why`; or module.name does not belong there. */
int pickle_reader_fail(const struct pickle_reader *r, const char *why);
int pickle_reader_refuse(const struct pickle_reader *r, const char *module, size_t module_length, const char *name,
                         size_t length);

#endif
