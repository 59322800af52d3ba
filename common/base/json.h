/*
 * json - JSON documents with errors a person can act on (over cJSON).
 *
 * A document is parsed strictly: UTF-8 without a byte order mark, one value and nothing after it, no key
 * twice in one object, no NUL inside a string. Accessors check type and range and
 * name file, field and value when they fail.
 */
#ifndef L3R_COMMON_BASE_JSON_H
#define L3R_COMMON_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* What the errors of one document say. */
struct json_source {
    const char *file;  /* named in every error */
    const char *hint;  /* what to do about a wrong document */
    struct error *err; /* may be NULL */
};

/* Parse `size` bytes; NULL with the error filled (line and column of a syntax error). `text` must be
 * NUL-terminated at `size`. The caller calls cJSON_Delete(). */
cJSON *json_parse(const struct json_source *src, const char *text, size_t size);

/* Fill the error: `fmt` says what is wrong with `field` ("params[0].name"; NULL: the whole document). Returns -1. */
int json_fail(const struct json_source *src, const char *field, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* For messages: the value as JSON text, cut to a few words, in `buf`. */
const char *json_show(const cJSON *value, char *buf, size_t size);

/* `text` as valid UTF-8: bytes that are not become "?". To be freed; NULL when out of memory. */
char *json_utf8(const char *text);

/* Check one value that stands at `field`. NULL (an absent value) fails as "missing". */
int json_int(const struct json_source *src, const char *field, const cJSON *value, int64_t min, int64_t max,
             int64_t *out);
int json_string(const struct json_source *src, const char *field, const cJSON *value, const char **out);
int json_array(const struct json_source *src, const char *field, const cJSON *value);
int json_object(const struct json_source *src, const char *field, const cJSON *value);

#endif
