#include "common/base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/json.h"

static cJSON *keep(struct json_writer *w, cJSON *item)
{
    if (!item) {
        w->failed = true;
    }
    return item;
}

static cJSON *append(struct json_writer *w, cJSON *list, cJSON *item)
{
    if (!keep(w, item)) {
        return NULL;
    }
    if (!cJSON_AddItemToArray(list, item)) {
        cJSON_Delete(item);
        w->failed = true;
        return NULL;
    }
    return item;
}

static cJSON *new_text(struct json_writer *w, const char *text)
{
    char *clean = w->bytes ? strdup(text) : json_utf8(text);
    cJSON *item = clean ? cJSON_CreateString(clean) : NULL;

    free(clean);
    return keep(w, item);
}

/* cJSON's own printing may be wrong in the last place, which integers above 10^15 show. */
static cJSON *new_number(struct json_writer *w, double number)
{
    char text[32];

    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number) {
        snprintf(text, sizeof text, "%.17g", number);
    }
    return keep(w, cJSON_CreateRaw(text));
}

static cJSON *new_u64(struct json_writer *w, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, number);
    return keep(w, cJSON_CreateRaw(text));
}

static void put(struct json_writer *w, cJSON *object, const char *key, cJSON *item)
{
    if (item && !cJSON_AddItemToObject(object, key, item)) {
        cJSON_Delete(item);
        w->failed = true;
    }
}

cJSON *json_new_object(struct json_writer *w)
{
    return keep(w, cJSON_CreateObject());
}

void json_put_text(struct json_writer *w, cJSON *object, const char *key, const char *text)
{
    if (text && *text) {
        put(w, object, key, new_text(w, text));
    }
}

void json_put_string(struct json_writer *w, cJSON *object, const char *key, const char *text)
{
    put(w, object, key, new_text(w, text));
}

void json_put_bool(struct json_writer *w, cJSON *object, const char *key, bool value)
{
    keep(w, cJSON_AddBoolToObject(object, key, value));
}

void json_put_number(struct json_writer *w, cJSON *object, const char *key, double number)
{
    if (isfinite(number)) {
        put(w, object, key, new_number(w, number));
    } else {
        json_put_text(w, object, key, isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    }
}

void json_put_u64(struct json_writer *w, cJSON *object, const char *key, uint64_t number)
{
    put(w, object, key, new_u64(w, number));
}

void json_put_null(struct json_writer *w, cJSON *object, const char *key)
{
    keep(w, cJSON_AddNullToObject(object, key));
}

cJSON *json_put_list(struct json_writer *w, cJSON *object, const char *key)
{
    return keep(w, cJSON_AddArrayToObject(object, key));
}

cJSON *json_put_object(struct json_writer *w, cJSON *object, const char *key)
{
    return keep(w, cJSON_AddObjectToObject(object, key));
}

void json_append_text(struct json_writer *w, cJSON *list, const char *text)
{
    append(w, list, new_text(w, text));
}

void json_append_number(struct json_writer *w, cJSON *list, double number)
{
    append(w, list, new_number(w, number));
}

void json_append_u64(struct json_writer *w, cJSON *list, uint64_t number)
{
    append(w, list, new_u64(w, number));
}

void json_append_null(struct json_writer *w, cJSON *list)
{
    append(w, list, cJSON_CreateNull());
}

cJSON *json_append_object(struct json_writer *w, cJSON *list)
{
    return append(w, list, cJSON_CreateObject());
}

char *json_line(const cJSON *value, const char *what, struct error *err)
{
    char *text = cJSON_PrintUnformatted(value);

    if (!text) {
        error_nomem(err, what, 0);
    }
    return text;
}

/* cJSON allocates with malloc(): no program sets hooks. */
static char *finish(struct json_writer *w, cJSON *root, bool line, const char *what, struct error *err)
{
    char *text = w->failed ? NULL : line ? cJSON_PrintUnformatted(root) : cJSON_Print(root);

    cJSON_Delete(root);
    if (!text) {
        error_nomem(err, what, 0);
    }
    return text;
}

char *json_finish_line(struct json_writer *w, cJSON *root, const char *what, struct error *err)
{
    return finish(w, root, true, what, err);
}

char *json_finish(struct json_writer *w, cJSON *root, const char *what, struct error *err)
{
    return finish(w, root, false, what, err);
}

int json_print(struct json_writer *w, cJSON *root, const char *what, FILE *f, struct error *err)
{
    char *text = json_finish(w, root, what, err);

    if (!text) {
        return -1;
    }
    fputs(text, f);
    fputc('\n', f);
    free(text);
    return 0;
}

int json_save(struct json_writer *w, cJSON *root, const char *path, unsigned how, struct error *err)
{
    char *text = json_finish(w, root, path, err);
    struct file_writer file;

    if (!text || (how & JSON_REPLACE ? file_replace_begin(&file, path, err) : file_write_begin(&file, path, err))) {
        free(text);
        return -1;
    }
    file.unsynced = how & JSON_UNSYNCED;
    fputs(text, file.stream); /* errors are found by the commit */
    if (how & JSON_NEWLINE) {
        fputc('\n', file.stream);
    }
    free(text);
    return file_write_commit(&file, err);
}
