#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clean_name.h"
#include "common/base/json.h"

const cJSON *json_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

bool json_is_null(const cJSON *value)
{
    return cJSON_IsNull(value);
}

bool json_has(const cJSON *object, const char *key)
{
    const cJSON *value = json_member(object, key);

    return value && !cJSON_IsNull(value);
}

const char *json_text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(json_member(object, key));
}

/* The value that a getter is asked for. */
static const cJSON *value_of(const cJSON *object, const char *key)
{
    return key ? json_member(object, key) : object;
}

static int wrong(const struct json_source *src, const cJSON *object, const char *key, const char *wanted)
{
    const cJSON *value = value_of(object, key);
    char shown[80];

    if (!value) {
        return json_fail(src, object, key, "it is missing; %s is needed", wanted);
    }
    return json_fail(src, object, key, "%s is needed, not %s", wanted, json_show(value, shown, sizeof shown));
}

int json_get_int(const struct json_source *src, const cJSON *object, const char *key, int64_t min, int64_t max,
                 int64_t *out)
{
    const int64_t most = JSON_EXACT - 1;
    const cJSON *value = value_of(object, key);
    char shown[80];
    double number;

    min = min < -most ? -most : min;
    max = max > most ? most : max;

    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble != floor(value->valuedouble)) {
        return wrong(src, object, key, "an integer");
    }
    number = value->valuedouble;
    if (number < (double)min || number > (double)max) {
        return json_fail(src, object, key, "%s is out of range, %lld to %lld are possible",
                         json_show(value, shown, sizeof shown), (long long)min, (long long)max);
    }
    *out = (int64_t)number;
    return 0;
}

int json_get_u64(const struct json_source *src, const cJSON *object, const char *key, uint64_t *out)
{
    const cJSON *value = value_of(object, key);
    char *end;

    if (cJSON_IsNumber(value)) {
        int64_t number = 0;

        if (value->valuedouble >= (double)JSON_EXACT) {
            return json_fail(src, object, key, "%.17g: from 2^53 on it must be a string, or digits are lost",
                             value->valuedouble);
        }
        if (json_get_int(src, object, key, 0, INT64_MAX, &number)) {
            return -1;
        }
        *out = (uint64_t)number;
        return 0;
    }
    if (!cJSON_IsString(value)) {
        return wrong(src, object, key, "an unsigned 64-bit number");
    }
    errno = 0;
    *out = strtoull(value->valuestring, &end, 10);
    if (errno || *end || value->valuestring[0] < '0' || value->valuestring[0] > '9') {
        return wrong(src, object, key, "an unsigned 64-bit number");
    }
    return 0;
}

int json_get_number(const struct json_source *src, const cJSON *object, const char *key, double *out)
{
    static const char *const names[] = {"inf", "-inf", "nan"};
    static const double values[] = {(double)INFINITY, (double)-INFINITY, (double)NAN};
    const cJSON *value = value_of(object, key);

    if (cJSON_IsNumber(value) && isfinite(value->valuedouble)) {
        *out = value->valuedouble;
        return 0;
    }
    for (int i = 0; cJSON_IsString(value) && i < 3; i++) {
        if (strcmp(value->valuestring, names[i]) == 0) {
            *out = values[i];
            return 0;
        }
    }
    return wrong(src, object, key, "a number, \"inf\", \"-inf\" or \"nan\"");
}

int json_get_bool(const struct json_source *src, const cJSON *object, const char *key, bool *out)
{
    const cJSON *value = value_of(object, key);

    if (!cJSON_IsBool(value)) {
        return wrong(src, object, key, "true or false");
    }
    *out = cJSON_IsTrue(value);
    return 0;
}

int json_get_string(const struct json_source *src, const cJSON *object, const char *key, const char **out)
{
    const cJSON *value = value_of(object, key);

    if (!cJSON_IsString(value)) {
        return wrong(src, object, key, "a string");
    }
    *out = value->valuestring;
    return 0;
}

int json_get_name(const struct json_source *src, const cJSON *object, const char *key, const char **out)
{
    if (json_get_string(src, object, key, out)) {
        return -1;
    }
    *out = clean_name(value_of(object, key)->valuestring);
    return 0;
}

int json_get_list(const struct json_source *src, const cJSON *object, const char *key, const cJSON **list,
                  size_t *count)
{
    const cJSON *value = value_of(object, key);

    if (!cJSON_IsArray(value)) {
        return wrong(src, object, key, "a list");
    }
    *list = value;
    if (count) {
        *count = (size_t)cJSON_GetArraySize(value);
    }
    return 0;
}

int json_get_object(const struct json_source *src, const cJSON *object, const char *key, const cJSON **out)
{
    const cJSON *value = value_of(object, key);

    if (!cJSON_IsObject(value)) {
        return wrong(src, object, key, "an object");
    }
    *out = value;
    return 0;
}

int json_get_choice(const struct json_source *src, const cJSON *object, const char *key, const char *const *names,
                    size_t count, size_t *which)
{
    char list[256] = "";
    const char *text = "";

    if (json_get_string(src, object, key, &text)) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        if (strcmp(text, names[i]) == 0) {
            *which = i;
            return 0;
        }
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return json_fail(src, object, key, "\"%.60s\" is not known; known are %s", text, list);
}

int json_optional_int(const struct json_source *src, const cJSON *object, const char *key, int64_t min, int64_t max,
                      int64_t *out)
{
    return json_member(object, key) ? json_get_int(src, object, key, min, max, out) : 0;
}
