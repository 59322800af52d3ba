/*
 * json_write - building JSON documents (over cJSON) with one check at the end.
 *
 * Every function may be called after a failure and then does nothing useful; `failed`
 * says once whether memory ran out anywhere. Strings are made valid UTF-8.
 */
#ifndef L3R_COMMON_BASE_JSON_WRITE_H
#define L3R_COMMON_BASE_JSON_WRITE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
    bool failed;
};

cJSON *json_new_object(struct json_writer *w);

/* Add to an object. put_text leaves the key out when `text` is NULL or empty. */
void json_put_text(struct json_writer *w, cJSON *object, const char *key, const char *text);
void json_put_bool(struct json_writer *w, cJSON *object, const char *key, bool value);
/* JSON has neither infinities nor NaN: they become the strings "inf", "-inf" and "nan". */
void json_put_number(struct json_writer *w, cJSON *object, const char *key, double number);
void json_put_null(struct json_writer *w, cJSON *object, const char *key);
cJSON *json_put_list(struct json_writer *w, cJSON *object, const char *key);
cJSON *json_put_object(struct json_writer *w, cJSON *object, const char *key);

/* Append to a list; numbers must be finite. */
void json_append_text(struct json_writer *w, cJSON *list, const char *text);
void json_append_number(struct json_writer *w, cJSON *list, double number);
cJSON *json_append_object(struct json_writer *w, cJSON *list);

/* The document as text, to be freed with cJSON_free(); NULL when memory ran out. Deletes `root`. */
char *json_finish(struct json_writer *w, cJSON *root);

#endif
