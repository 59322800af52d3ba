#include "common/base/json_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PULL_MAX_DEPTH = 256 };

static bool fail(struct json_pull *p, const char *fault)
{
    if (!p->fault) {
        p->fault = p->at >= p->end ? "it ends in the middle: the file is truncated" : fault;
    }
    return false;
}

void json_pull_start(struct json_pull *p, const char *text, size_t size)
{
    *p = (struct json_pull){.text = text, .at = text, .end = text + size};
}

char json_pull_peek(struct json_pull *p)
{
    if (p->fault) {
        return 0;
    }
    while (p->at < p->end && strchr(" \t\r\n", *p->at)) {
        p->at++;
    }
    return p->at < p->end ? *p->at : 0;
}

bool json_pull_open(struct json_pull *p, char bracket)
{
    if (json_pull_peek(p) != bracket) {
        return fail(p, bracket == '[' ? "an array was expected" : "an object was expected");
    }
    p->at++;
    p->fresh = true;
    return true;
}

/* Pass the comma before the next member, or the closing bracket. */
static bool advance(struct json_pull *p, char closing)
{
    char c = json_pull_peek(p);

    if (p->fault) {
        return false;
    }
    if (c == closing) {
        p->at++;
        p->fresh = false;
        return false;
    }
    if (!p->fresh) {
        if (c != ',') {
            return fail(p, "a comma or a closing bracket was expected");
        }
        p->at++;
    }
    p->fresh = false;
    return json_pull_peek(p) ? true : fail(p, "a value was expected");
}

bool json_pull_item(struct json_pull *p)
{
    return advance(p, ']');
}

/* A string's code point after \u, as UTF-8 (surrogates become "?"). */
static bool unescape_unicode(struct json_pull *p, char out[4])
{
    char digits[5] = "", *stop;
    unsigned long code;

    memcpy(digits, p->at, p->end - p->at < 4 ? (size_t)(p->end - p->at) : 4);
    code = strtoul(digits, &stop, 16);
    if (stop != digits + 4) {
        return fail(p, "four hexadecimal digits were expected");
    }
    p->at += 4;
    memset(out, 0, 4);
    if (code == 0 || (code >= 0xd800 && code < 0xe000)) {
        out[0] = '?';
    } else if (code < 0x80) {
        out[0] = (char)code;
    } else if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
    } else {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
    }
    return true;
}

static bool unescape(struct json_pull *p, char out[4])
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *which = p->at < p->end && *p->at ? strchr(from, *p->at) : NULL;

    memset(out, 0, 4);
    if (which) {
        out[0] = to[which - from];
        p->at++;
        return true;
    }
    if (p->at < p->end && *p->at == 'u') {
        p->at++;
        return unescape_unicode(p, out);
    }
    return fail(p, "an unknown escape stands in a string");
}

/* The string at `p` into `buf`, which may be NULL; what does not fit is dropped. */
static bool read_string(struct json_pull *p, char *buf, size_t size)
{
    size_t n = 0;
    char piece[4];

    if (json_pull_peek(p) != '"') {
        return fail(p, "a string was expected");
    }
    p->at++;
    while (p->at < p->end && *p->at != '"') {
        memset(piece, 0, sizeof piece);
        piece[0] = *p->at++;
        if (piece[0] == '\\' && !unescape(p, piece)) {
            return false;
        }
        for (int i = 0; i < 4 && piece[i]; i++) {
            if (buf && n + 1 < size) {
                buf[n++] = piece[i];
            }
        }
    }
    if (buf && size) {
        buf[n] = '\0';
    }
    if (p->at >= p->end) {
        return fail(p, NULL);
    }
    p->at++;
    return true;
}

bool json_pull_key(struct json_pull *p, char *key, size_t size)
{
    if (!advance(p, '}') || !read_string(p, key, size)) {
        return false;
    }
    if (json_pull_peek(p) != ':') {
        return fail(p, "a colon was expected");
    }
    p->at++;
    return true;
}

static bool skip_word(struct json_pull *p)
{
    const char *start = p->at;

    while (p->at < p->end && !strchr(",]} \t\r\n", *p->at)) {
        p->at++;
    }
    return p->at > start ? true : fail(p, "a value was expected");
}

bool json_pull_text(struct json_pull *p, char *buf, size_t size)
{
    if (json_pull_peek(p) == 'n') {
        buf[0] = '\0';
        return skip_word(p);
    }
    return read_string(p, buf, size);
}

bool json_pull_u64(struct json_pull *p, uint64_t *value)
{
    char text[40], *stop;
    const char *start;

    *value = 0;
    if (json_pull_peek(p) == '"') {
        if (!read_string(p, text, sizeof text)) {
            return false;
        }
    } else {
        start = p->at;
        if (!skip_word(p)) {
            return false;
        }
        if (p->at >= p->end) { /* a number cut in two looks like a number */
            return fail(p, NULL);
        }
        snprintf(text, sizeof text, "%.*s", (int)(p->at - start < 39 ? p->at - start : 39), start);
    }
    errno = 0;
    *value = strtoull(text, &stop, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    if (errno || stop == text || (*stop && !strchr(".eE", *stop))) {
        return fail(p, "an integer was expected");
    }
    if (*stop == 'e' || *stop == 'E' || strpbrk(stop, "eE")) {
        double real = strtod(text, NULL);
        if (!(real > -9e18 && real < 1.8e19)) {
            return fail(p, "an integer of 64 bits was expected");
        }
        *value = real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
    }
    return true;
}

bool json_pull_i64(struct json_pull *p, int64_t *value)
{
    uint64_t bits;
    bool ok = json_pull_u64(p, &bits);

    *value = (int64_t)bits;
    return ok;
}

bool json_pull_skip(struct json_pull *p)
{
    int depth = 0;

    do {
        char c = json_pull_peek(p);
        if (!c) {
            return fail(p, NULL);
        }
        if (c == '"') {
            if (!read_string(p, NULL, 0)) {
                return false;
            }
        } else if (c == '[' || c == '{') {
            if (++depth > PULL_MAX_DEPTH) {
                return fail(p, "it is nested too deeply");
            }
            p->at++;
        } else if (c == ']' || c == '}') {
            if (--depth < 0) {
                return fail(p, "a value was expected");
            }
            p->at++;
        } else if (c == ',' || c == ':') {
            if (depth == 0) {
                return fail(p, "a value was expected");
            }
            p->at++;
        } else if (!skip_word(p)) {
            return false;
        }
    } while (depth > 0);
    p->fresh = false;
    return true;
}

const char *json_pull_fault(const struct json_pull *p, char *buf, size_t size)
{
    if (!p->fault) {
        return NULL;
    }
    snprintf(buf, size, "%s (byte %zu)", p->fault, (size_t)(p->at - p->text));
    return buf;
}
