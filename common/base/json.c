#include "common/base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

enum { PATH_SIZE = 256 };

/* Put `part` before `path`, with a dot where `path` begins with a key. What is too long ends in "...". */
static void prepend(char *path, const char *part)
{
    char rest[PATH_SIZE];

    memcpy(rest, path, PATH_SIZE);
    if (snprintf(path, PATH_SIZE, "%s%s%s", part, *rest && *rest != '[' ? "." : "", rest) >= PATH_SIZE) {
        memcpy(path + PATH_SIZE - 4, "...", 4);
    }
}

/* The path from `at` to `wanted`; false: it is not there. cJSON's own nesting limit bounds the recursion. */
static bool find_path(const cJSON *at, const cJSON *wanted, char *path)
{
    const cJSON *item;
    char part[24];
    size_t i = 0;

    if (at == wanted) {
        *path = '\0';
        return true;
    }
    cJSON_ArrayForEach(item, at) {
        if (find_path(item, wanted, path)) {
            snprintf(part, sizeof part, "[%zu]", i);
            prepend(path, cJSON_IsObject(at) && item->string ? item->string : part);
            return true;
        }
        i++;
    }
    return false;
}

int json_fail(const struct json_source *src, const cJSON *object, const char *key, const char *fmt, ...)
{
    char detail[1024], where[512], field[PATH_SIZE] = "";
    const char *base = strrchr(src->file, '/');
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(detail, sizeof detail, fmt, ap);
    va_end(ap);
    if (src->root && object && !find_path(src->root, object, field)) {
        *field = '\0';
    }
    if (key) {
        size_t used = strlen(field);
        snprintf(field + used, sizeof field - used, "%s%s", used ? "." : "", key);
    }
    base = base ? base + 1 : src->file;
    if (*field) {
        snprintf(where, sizeof where, "%s, field %s", src->file, field);
        return error_set(src->err, where, src->hint, "%s: '%s': %s", base, field, detail);
    }
    return error_set(src->err, src->file, src->hint, "%s: %s", base, detail);
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
    const char *nul;

    if (size >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) {
        return json_fail(src, NULL, NULL, "it begins with a byte order mark, which JSON does not allow");
    }
    nul = memchr(text, '\0', size);
    if (nul) {
        return json_fail(src, NULL, NULL, "it holds a NUL byte at offset %zu", (size_t)(nul - text));
    }
    for (size_t i = 0, n; i < size && !src->bytes; i += n) {
        n = s[i] < 0x80 ? 1 : utf8_length(s + i, size - i);
        if (n == 0) {
            return json_fail(src, NULL, NULL, "it is not UTF-8 text (byte 0x%02x at offset %zu)", s[i], i);
        }
    }
    /* cJSON would end the string at it, so that two different names look equal. */
    for (const char *at = text; (at = strstr(at, "\\u0000")); at += 6) {
        size_t slashes = 1;
        while (at - slashes >= text && at[-(long)slashes] == '\\') {
            slashes++;
        }
        if (slashes % 2) {
            return json_fail(src, NULL, NULL, "a string in it holds the character NUL at offset %zu",
                             (size_t)(at - text));
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
    return json_fail(src, NULL, NULL, "it is not valid JSON (line %zu, column %zu)", line, column);
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

enum { FEW_KEYS = 32 };

/* Most objects have few members, those of a plan of many lines above all: quicker than qsort() then. */
static void sort_keys(const char **keys, size_t count)
{
    if (count > FEW_KEYS) {
        qsort(keys, count, sizeof *keys, compare_keys);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const char *key = keys[i];
        size_t at = i;

        for (; at > 0 && strcmp(keys[at - 1], key) > 0; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

static int check_object_keys(const struct json_source *src, const cJSON *object)
{
    const char *few[FEW_KEYS], **many = NULL, **keys = few;
    size_t count = 0, i = 0;
    const cJSON *item;
    int rc = 0;

    cJSON_ArrayForEach(item, object) {
        count++;
    }
    if (count > FEW_KEYS) {
        keys = many = malloc(count * sizeof *keys);
        if (!keys) {
            return error_nomem(src->err, src->file, count * sizeof *keys);
        }
    }
    cJSON_ArrayForEach(item, object) {
        keys[i++] = item->string;
    }
    sort_keys(keys, count);
    for (i = 1; i < count && rc == 0; i++) {
        if (strcmp(keys[i - 1], keys[i]) == 0) {
            rc = json_fail(src, object, keys[i], "the key stands there twice in one object");
        }
    }
    free(many);
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

cJSON *json_parse(struct json_source *src, const char *text, size_t size)
{
    const char *end = NULL;
    const char *lax;
    cJSON *value;

    src->root = NULL;
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
    src->root = value;
    if (check_keys(src, value)) {
        src->root = NULL;
        cJSON_Delete(value);
        return NULL;
    }
    return value;
}

cJSON *json_read(struct json_source *src, size_t max)
{
    size_t size;
    char *text = file_read(src->file, max, &size, src->err);
    cJSON *root;

    if (!text) {
        if (src->err && src->hint && !src->err->hint[0]) {
            snprintf(src->err->hint, sizeof src->err->hint, "%s", src->hint);
        }
        return NULL;
    }
    root = json_parse(src, text, size);
    free(text);
    return root;
}
