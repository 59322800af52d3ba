/*
 * json - JSON documents with errors that a person can act on (over cJSON).
 *
 * The layer has three headers: this one reads a document into a tree, json_write.h makes and writes one, and
 * json_stream.h is for texts that are too large for a tree. Outside of it, trees are walked with cJSON_ArrayForEach (or
 * ->child and ->next) and freed with cJSON_Delete; no other function of cJSON is called (tests/lint/layers.sh).
 *
 * A document is parsed strictly: UTF-8 without a byte order mark, one value and nothing after it, no key twice in one
 * object, no NUL inside a string. What is got from it is checked for type and range; errors name file, path inside the
 * document ("params[3].shape[0]") and value.
 */
#ifndef L3R_COMMON_BASE_JSON_H
#define L3R_COMMON_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Integers below it are exact as JSON numbers; greater ones are written as strings. */
#define JSON_EXACT (INT64_C(1) << 53)

/* A document, and what its errors say. */
struct json_source {
    const char *file;  /* named in every error */
    const char *hint;  /* what to do about a wrong document; may be NULL */
    struct error *err; /* may be NULL */
    bool bytes;        /* strings need not be UTF-8: they hold names of files, between processes of one host */
    const cJSON *root; /* set by json_parse(); NULL: errors say the key, without the path to it */
};

/* Parse `size` bytes; NULL with the error filled (place of a syntax error). `text` must be NUL-terminated at `size`. The
 * caller calls cJSON_Delete(). */
cJSON *json_parse(struct json_source *src, const char *text, size_t size);

/* The same of the file `src->file` of at most `max` bytes. */
cJSON *json_read(struct json_source *src, size_t max);

/* Fill the error: `fmt` says what is wrong with the member `key` of `object`. Key NULL: with `object` itself; both NULL:
 * with the whole document. Returns -1. */
int json_fail(const struct json_source *src, const cJSON *object, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The member, or NULL: there is none, or `object` is NULL or no object. */
const cJSON *json_member(const cJSON *object, const char *key);

bool json_is_null(const cJSON *value);

/* Whether the member is there and not null. */
bool json_has(const cJSON *object, const char *key);

/* The member's string, or NULL where there is none or it is something else: for what needs no error. */
const char *json_text_of(const cJSON *object, const char *key);

/* Get the member `key` of `object`, or `object` itself when `key` is NULL (an element of a list). Each returns 0, or -1
 * with the error filled: it is missing, of another type or out of range. What they point to lives in the document. */
int json_get_int(const struct json_source *src, const cJSON *object, const char *key, int64_t min, int64_t max,
                 int64_t *out); /* a number without a fraction, of less than 2^53 */
int json_get_u64(const struct json_source *src, const cJSON *object, const char *key,
                 uint64_t *out); /* the same from 0 on, or decimal digits in a string */
int json_get_number(const struct json_source *src, const cJSON *object, const char *key,
                    double *out); /* finite, or one of the strings "inf", "-inf" and "nan" */
int json_get_bool(const struct json_source *src, const cJSON *object, const char *key, bool *out);
int json_get_string(const struct json_source *src, const cJSON *object, const char *key, const char **out);
int json_get_name(const struct json_source *src, const cJSON *object, const char *key,
                  const char **out); /* a string, made safe to print in the document itself (clean_name.h) */
int json_get_list(const struct json_source *src, const cJSON *object, const char *key, const cJSON **list,
                  size_t *count); /* `count` may be NULL */
int json_get_object(const struct json_source *src, const cJSON *object, const char *key, const cJSON **out);

/* A string that is one of `names`: `*which` is its index. */
int json_get_choice(const struct json_source *src, const cJSON *object, const char *key, const char *const *names,
                    size_t count, size_t *which);

/* An integer that may be absent: `*out` then stays as it is. */
int json_optional_int(const struct json_source *src, const cJSON *object, const char *key, int64_t min, int64_t max,
                      int64_t *out);

/* For messages: the value as JSON text, cut to a few words, in `buf`. */
const char *json_show(const cJSON *value, char *buf, size_t size);

/* `text` as valid UTF-8: bytes that are not become "?". To be freed; NULL when out of memory. */
char *json_utf8(const char *text);

#endif
