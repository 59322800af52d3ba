/*
 * json_write - building JSON documents (over cJSON) with one check at the end.
 *
 * Every function may be called after a failure and then does nothing useful; `failed` says once whether memory ran out
 * anywhere, and the functions that end a document report it. Strings are made valid UTF-8. For documents too large for
 * a tree: json_stream.h.
 */
#ifndef L3R_COMMON_BASE_JSON_WRITE_H
#define L3R_COMMON_BASE_JSON_WRITE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"

struct json_writer {
    bool failed;
    bool bytes; /* strings stay as they are, UTF-8 or not (struct json_source) */
};

cJSON *json_new_object(struct json_writer *w);

/* Add to an object. put_text leaves the key out when `text` is NULL or empty; put_string does not, and takes no NULL. */
void json_put_text(struct json_writer *w, cJSON *object, const char *key, const char *text);
void json_put_string(struct json_writer *w, cJSON *object, const char *key, const char *text);
void json_put_bool(struct json_writer *w, cJSON *object, const char *key, bool value);
/* JSON has neither infinities nor NaN: they become the strings "inf", "-inf" and "nan". */
void json_put_number(struct json_writer *w, cJSON *object, const char *key, double number);
void json_put_u64(struct json_writer *w, cJSON *object, const char *key, uint64_t number); /* all digits */
void json_put_null(struct json_writer *w, cJSON *object, const char *key);
cJSON *json_put_list(struct json_writer *w, cJSON *object, const char *key);
cJSON *json_put_object(struct json_writer *w, cJSON *object, const char *key);

/* Append to a list; numbers must be finite. */
void json_append_text(struct json_writer *w, cJSON *list, const char *text);
void json_append_number(struct json_writer *w, cJSON *list, double number);
void json_append_u64(struct json_writer *w, cJSON *list, uint64_t number);
void json_append_null(struct json_writer *w, cJSON *list);
cJSON *json_append_object(struct json_writer *w, cJSON *list);

/* The four ways to end a document. Each deletes `root`, which may be NULL after a failure. `what` names the document in
 * the error when memory ran out. */

/* As text in one line, or in many as people read it; to be freed with free(). NULL with `err` filled. */
char *json_finish_line(struct json_writer *w, cJSON *root, const char *what, struct error *err);
char *json_finish(struct json_writer *w, cJSON *root, const char *what, struct error *err);

/* A value of a document, which stays as it is, as text in one line; to be freed with free(). */
char *json_line(const cJSON *value, const char *what, struct error *err);

/* To `f`, followed by a newline; whether `f` took it is for the caller to see. -1: out of memory. */
int json_print(struct json_writer *w, cJSON *root, const char *what, FILE *f, struct error *err);

/* As the file `path`, which appears whole (common/base/file.h). */
enum json_save {
    JSON_SAVE = 0,
    JSON_NEWLINE = 1,  /* ends with a newline */
    JSON_UNSYNCED = 2, /* not waiting for the disk */
    JSON_REPLACE = 4,  /* in the place of what else has this name (file_replace()) */
};
int json_save(struct json_writer *w, cJSON *root, const char *path, unsigned how, struct error *err);

#endif
