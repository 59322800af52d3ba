#include "common/base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    char *clean = json_utf8(text);
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

cJSON *json_append_object(struct json_writer *w, cJSON *list)
{
    return append(w, list, cJSON_CreateObject());
}

char *json_finish(struct json_writer *w, cJSON *root)
{
    char *text = w->failed ? NULL : cJSON_Print(root);

    cJSON_Delete(root);
    return text;
}
