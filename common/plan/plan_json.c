#include "common/plan/plan_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int plan_json_number(const cJSON *item, const char *name, uint64_t limit, uint64_t *out, struct error *err)
{
    double value;

    if (!item) {
        return error_set(err, NULL, NULL, "\"%s\" is missing", name);
    }
    if (!cJSON_IsNumber(item)) {
        return error_set(err, NULL, NULL, "\"%s\" is not a number", name);
    }
    value = item->valuedouble;
    if (!(value >= 0) || value > (double)limit || value > (double)PLAN_JSON_EXACT || value != floor(value)) {
        return error_set(err, NULL, NULL, "\"%s\" is %g, not a whole number from 0 to %llu", name, value,
                         (unsigned long long)(limit < PLAN_JSON_EXACT ? limit : PLAN_JSON_EXACT));
    }
    *out = (uint64_t)value;
    return 0;
}

int plan_json_field(const cJSON *object, const char *key, uint64_t limit, uint64_t *out, struct error *err)
{
    return plan_json_number(cJSON_GetObjectItemCaseSensitive(object, key), key, limit, out, err);
}

int plan_json_optional(const cJSON *object, const char *key, uint64_t limit, uint64_t absent, uint64_t *out,
                       struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (item) {
        return plan_json_number(item, key, limit, out, err);
    }
    *out = absent;
    return 0;
}

int plan_json_string(const cJSON *object, const char *key, const char **out, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!item) {
        return error_set(err, NULL, NULL, "\"%s\" is missing", key);
    }
    if (!cJSON_IsString(item)) {
        return error_set(err, NULL, NULL, "\"%s\" is not a string", key);
    }
    if (!item->valuestring[0]) {
        return error_set(err, NULL, NULL, "\"%s\" is empty", key);
    }
    *out = item->valuestring;
    return 0;
}

int plan_json_array(const cJSON *object, const char *key, const cJSON **out, uint32_t *count, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    int size;

    if (!item) {
        return error_set(err, NULL, NULL, "\"%s\" is missing", key);
    }
    if (!cJSON_IsArray(item)) {
        return error_set(err, NULL, NULL, "\"%s\" is not an array", key);
    }
    size = cJSON_GetArraySize(item);
    *out = item->child;
    *count = (uint32_t)size;
    return 0;
}

int plan_json_u64(const cJSON *item, const char *name, uint64_t *out, struct error *err)
{
    const char *text;
    char *end;

    if (cJSON_IsNumber(item)) {
        if (!(item->valuedouble < (double)PLAN_JSON_EXACT)) {
            return error_set(err, NULL, NULL, "\"%s\" is %.17g: from 2^53 on it must be a string, or digits are lost",
                             name, item->valuedouble);
        }
        return plan_json_number(item, name, PLAN_JSON_EXACT - 1, out, err);
    }
    if (!cJSON_IsString(item)) {
        return error_set(err, NULL, NULL, "\"%s\" is not an unsigned 64-bit number", name);
    }
    text = item->valuestring;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (errno || *end || text[0] < '0' || text[0] > '9') {
        return error_set(err, NULL, NULL, "\"%s\" is \"%.40s\", not an unsigned 64-bit number", name, text);
    }
    return 0;
}

int plan_json_fill(const cJSON *item, const char *name, double *out, struct error *err)
{
    static const char *const names[] = {"inf", "-inf", "nan"};
    static const double values[] = {(double)INFINITY, (double)-INFINITY, (double)NAN};

    if (cJSON_IsNumber(item) && isfinite(item->valuedouble)) {
        *out = item->valuedouble;
        return 0;
    }
    for (int i = 0; cJSON_IsString(item) && i < 3; i++) {
        if (strcmp(item->valuestring, names[i]) == 0) {
            *out = values[i];
            return 0;
        }
    }
    return error_set(err, NULL, NULL, "\"%s\" is not a number, nor \"inf\", \"-inf\" or \"nan\"", name);
}

int plan_json_dims(const cJSON *item, const char *name, uint32_t limit, int64_t *out, uint32_t *count,
                   struct error *err)
{
    uint64_t value = 0;

    if (!cJSON_IsArray(item)) {
        return error_set(err, NULL, NULL, "\"%s\" is not an array", name);
    }
    *count = 0;
    for (const cJSON *e = item->child; e; e = e->next) {
        if (*count == limit) {
            return error_set(err, NULL, NULL, "\"%s\" has more than %u entries", name, limit);
        }
        if (plan_json_number(e, name, PLAN_JSON_EXACT, &value, err)) {
            return -1;
        }
        out[(*count)++] = (int64_t)value;
    }
    return 0;
}
