#include "common/base/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of bytes of the UTF-8 sequence at `s` (of `left` bytes), or 0 when it is not valid. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

    if (n == 0 || n > left) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and what lies beyond U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f)) {
        return 0;
    }
    return n;
}

char *json_utf8(const char *text)
{
    char *copy = strdup(text);
    size_t size = strlen(text);

    for (size_t i = 0, n; copy && i < size; i += n) {
        n = utf8_length((const unsigned char *)text + i, size - i);
        if (n == 0) {
            copy[i] = '?';
            n = 1;
        }
    }
    return copy;
}

static int check_text(const struct json_source *src, const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;

    if (size >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) {
        return json_fail(src, NULL, "it begins with a byte order mark, which JSON does not allow");
    }
    for (size_t i = 0, n; i < size; i += n) {
        n = utf8_length(s + i, size - i);
        if (n == 0) {
            return json_fail(src, NULL, "it is not UTF-8 text (byte 0x%02x at offset %zu)", s[i], i);
        }
        if (s[i] == 0) {
            return json_fail(src, NULL, "it holds a NUL byte at offset %zu", i);
        }
    }
    /* cJSON would end the string at it, so that two different names look equal. */
    for (const char *at = text; (at = strstr(at, "\\u0000")); at += 6) {
        size_t slashes = 1;
        while (at - slashes >= text && at[-(long)slashes] == '\\') {
            slashes++;
        }
        if (slashes % 2) {
            return json_fail(src, NULL, "a string in it holds the character NUL at offset %zu", (size_t)(at - text));
        }
    }
    return 0;
}

static int syntax_fail(const struct json_source *src, const char *text, size_t size, const char *end)
{
    size_t line = 1, column = 1, at = end && end >= text ? (size_t)(end - text) : 0;

    if (at > size) {
        at = size;
    }
    for (size_t i = 0; i < at; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return json_fail(src, NULL, "it is not valid JSON (line %zu, column %zu)", line, column);
}

static const char *skip_digits(const char *s)
{
    while (*s >= '0' && *s <= '9') {
        s++;
    }
    return s;
}

/* End of the number at `s` by JSON's grammar, or NULL when there is none. */
static const char *number_end(const char *s)
{
    const char *digits;

    s += *s == '-';
    digits = s;
    s = skip_digits(s);
    if (s == digits || (*digits == '0' && s - digits > 1)) {
        return NULL;
    }
    if (*s == '.') {
        digits = s + 1;
        s = skip_digits(digits);
        if (s == digits) {
            return NULL;
        }
    }
    if (*s == 'e' || *s == 'E') {
        digits = s + 1 + (s[1] == '+' || s[1] == '-');
        s = skip_digits(digits);
        if (s == digits) {
            return NULL;
        }
    }
    return s;
}

/* What cJSON lets through: numbers such as 007 and 1., and raw control characters in strings. Returns the
 * place of the first fault or NULL. */
static const char *find_lax(const char *text)
{
    bool in_string = false;

    for (const char *s = text; *s; s++) {
        if (in_string) {
            if ((unsigned char)*s < 0x20) {
                return s;
            }
            if (*s == '\\' && s[1]) {
                s++;
            } else if (*s == '"') {
                in_string = false;
            }
        } else if (*s == '"') {
            in_string = true;
        } else if (*s == '-' || (*s >= '0' && *s <= '9')) {
            const char *end = number_end(s);
            if (!end) {
                return s;
            }
            s = end - 1;
        }
    }
    return NULL;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_object_keys(const struct json_source *src, const cJSON *object)
{
    size_t count = 0, i = 0;
    const char **keys;
    const cJSON *item;
    int rc = 0;

    cJSON_ArrayForEach(item, object) {
        count++;
    }
    if (count < 2) {
        return 0;
    }
    keys = malloc(count * sizeof *keys);
    if (!keys) {
        return error_nomem(src->err, src->file, count * sizeof *keys);
    }
    cJSON_ArrayForEach(item, object) {
        keys[i++] = item->string;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (i = 1; i < count && rc == 0; i++) {
        if (strcmp(keys[i - 1], keys[i]) == 0) {
            rc = json_fail(src, keys[i], "the key stands there twice in one object");
        }
    }
    free(keys);
    return rc;
}

/* cJSON's own nesting limit bounds the recursion. */
static int check_keys(const struct json_source *src, const cJSON *value)
{
    const cJSON *item;

    if (cJSON_IsObject(value) && check_object_keys(src, value)) {
        return -1;
    }
    cJSON_ArrayForEach(item, value) {
        if (item->child && check_keys(src, item)) {
            return -1;
        }
    }
    return 0;
}

cJSON *json_parse(const struct json_source *src, const char *text, size_t size)
{
    const char *end = NULL;
    const char *lax;
    cJSON *value;

    if (check_text(src, text, size)) {
        return NULL;
    }
    lax = find_lax(text);
    if (lax) {
        syntax_fail(src, text, size, lax);
        return NULL;
    }
    errno = 0;
    value = cJSON_ParseWithLengthOpts(text, size + 1, &end, 1);
    if (!value && errno == ENOMEM) { /* of malloc(): cJSON reports no more than that it failed */
        error_nomem(src->err, src->file, size);
        return NULL;
    }
    if (!value) {
        syntax_fail(src, text, size, end);
        return NULL;
    }
    if (check_keys(src, value)) {
        cJSON_Delete(value);
        return NULL;
    }
    return value;
}

int json_fail(const struct json_source *src, const char *field, const char *fmt, ...)
{
    char detail[1024], where[512];
    const char *base = strrchr(src->file, '/');
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(detail, sizeof detail, fmt, ap);
    va_end(ap);
    snprintf(where, sizeof where, "%s%s%s", src->file, field ? ", field " : "", field ? field : "");
    base = base ? base + 1 : src->file;
    if (field) {
        return error_set(src->err, where, src->hint, "%s: '%s': %s", base, field, detail);
    }
    return error_set(src->err, where, src->hint, "%s: %s", base, detail);
}

const char *json_show(const cJSON *value, char *buf, size_t size)
{
    char *text = value ? cJSON_PrintUnformatted(value) : NULL;
    size_t cut;

    snprintf(buf, size, "%s", text ? text : "nothing");
    if (text && strlen(text) >= size && size > 4) {
        /* Cut before a whole character. */
        for (cut = size - 4; cut > 0 && ((unsigned char)buf[cut] & 0xc0) == 0x80; cut--) {
            continue;
        }
        memcpy(buf + cut, "...", 4);
    }
    cJSON_free(text);
    return buf;
}

static int wrong(const struct json_source *src, const char *field, const cJSON *value, const char *wanted)
{
    char shown[80];

    if (!value) {
        return json_fail(src, field, "it is missing; %s is needed", wanted);
    }
    return json_fail(src, field, "%s is needed, not %s", wanted, json_show(value, shown, sizeof shown));
}

int json_int(const struct json_source *src, const char *field, const cJSON *value, int64_t min, int64_t max,
             int64_t *out)
{
    static const double exact = 9007199254740992.0; /* 2^53: from here on a double loses digits */
    char shown[80];
    double number;

    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble != floor(value->valuedouble)) {
        return wrong(src, field, value, "an integer");
    }
    number = value->valuedouble;
    if (number >= exact || number <= -exact || (int64_t)number < min || (int64_t)number > max) {
        return json_fail(src, field, "%s is out of range, %lld to %lld are possible",
                         json_show(value, shown, sizeof shown), (long long)min, (long long)max);
    }
    *out = (int64_t)number;
    return 0;
}

int json_string(const struct json_source *src, const char *field, const cJSON *value, const char **out)
{
    if (!cJSON_IsString(value)) {
        return wrong(src, field, value, "a string");
    }
    *out = value->valuestring;
    return 0;
}

int json_array(const struct json_source *src, const char *field, const cJSON *value)
{
    return cJSON_IsArray(value) ? 0 : wrong(src, field, value, "a list");
}

int json_object(const struct json_source *src, const char *field, const cJSON *value)
{
    return cJSON_IsObject(value) ? 0 : wrong(src, field, value, "an object");
}
