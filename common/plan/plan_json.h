/*
 * plan_json - typed fields of a JSON record, each fault named.
 *
 * Private to the plan stream (common/plan/plan_stream*.c). Each function returns 0,
 * or -1 with `err` filled; `where` is left empty, the reader puts file and line
 * there. A missing field is an error unless the function says otherwise.
 */
#ifndef L3R_COMMON_PLAN_PLAN_JSON_H
#define L3R_COMMON_PLAN_PLAN_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "common/base/error.h"

/* Integers that a double holds exactly; a greater one comes as a string where the format allows it. */
#define PLAN_JSON_EXACT (UINT64_C(1) << 53)

/* A whole number from 0 to `limit` (at most 2^53). `name` is for the message. */
int plan_json_number(const cJSON *item, const char *name, uint64_t limit, uint64_t *out, struct error *err);

/* The same of the field `key` of `object`. */
int plan_json_field(const cJSON *object, const char *key, uint64_t limit, uint64_t *out, struct error *err);

/* An absent field gives `absent`. */
int plan_json_optional(const cJSON *object, const char *key, uint64_t limit, uint64_t absent, uint64_t *out,
                       struct error *err);

/* A string that is not empty, valid as long as `object`. */
int plan_json_string(const cJSON *object, const char *key, const char **out, struct error *err);

/* An array; `*out` is its first element (NULL when it is empty) and `*count` their number. */
int plan_json_array(const cJSON *object, const char *key, const cJSON **out, uint32_t *count, struct error *err);

/* An unsigned 64-bit number, as a number below 2^53 or as a string of decimal digits. */
int plan_json_u64(const cJSON *item, const char *name, uint64_t *out, struct error *err);

/* A finite number, or one of the strings "inf", "-inf", "nan". */
int plan_json_fill(const cJSON *item, const char *name, double *out, struct error *err);

/* The whole numbers from 0 of an array, at most `limit` of them, into `out`; `*count` is how many. */
int plan_json_dims(const cJSON *item, const char *name, uint32_t limit, int64_t *out, uint32_t *count,
                   struct error *err);

#endif
