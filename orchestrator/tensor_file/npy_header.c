/* The header of a .npy file: a Python dictionary literal with three keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/npy_header.h"

static const char *const hint = "save the array again with numpy.save()";

/* Where the reading is in the header's text. */
struct cursor {
    const char *at, *end;
    const char *origin;
    struct error *err;
};

static int fail(const struct cursor *c, const char *what)
{
    return error_set(c->err, c->origin, hint, "%s is not a usable .npy file: %s", c->origin, what);
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r')) {
        c->at++;
    }
}

static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted) {
        return false;
    }
    c->at++;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) {
        return false;
    }
    c->at += n;
    return true;
}

/* A string literal without escapes, as numpy writes them. */
static int take_string(struct cursor *c, char *buf, size_t size)
{
    const char *begin;
    char quote;

    skip_blanks(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"')) {
        return fail(c, "a string is missing in its header");
    }
    quote = *c->at++;
    begin = c->at;
    while (c->at < c->end && *c->at != quote) {
        c->at++;
    }
    if (c->at >= c->end || (size_t)(c->at - begin) >= size) {
        return fail(c, "a string in its header does not end");
    }
    memcpy(buf, begin, (size_t)(c->at - begin));
    buf[c->at - begin] = '\0';
    c->at++;
    return 0;
}

static int parse_descr(struct cursor *c, struct npy *out)
{
    char text[32], *end;
    unsigned long size;

    skip_blanks(c);
    if (c->at < c->end && *c->at == '[') {
        return fail(c, "it holds records (a structured dtype); only plain arrays can be read");
    }
    if (take_string(c, text, sizeof text)) {
        return -1;
    }
    if (!strchr("<>|=", text[0]) || !text[0] || !text[1]) {
        return fail(c, "its dtype cannot be understood");
    }
    if (text[1] == 'O') {
        return fail(c, "it holds Python objects; only plain arrays can be read");
    }
    size = strtoul(text + 2, &end, 10);
    if (text[2] < '0' || text[2] > '9' || *end || size == 0 || size > 4096) {
        return fail(c, "its dtype cannot be understood");
    }
    out->kind = text[1];
    out->size = (uint32_t)size;
    /* "=" would be the writer's own order, which only little-endian machines of today write. */
    out->big_endian = text[0] == '>' && size > 1;
    return 0;
}

static int parse_bool(struct cursor *c, bool *out)
{
    *out = take_word(c, "True");
    return *out || take_word(c, "False") ? 0 : fail(c, "fortran_order is neither True nor False");
}

static int parse_dim(struct cursor *c, int64_t *dim)
{
    int64_t n = 0;

    skip_blanks(c);
    if (c->at >= c->end || *c->at < '0' || *c->at > '9') {
        return fail(c, "its shape cannot be understood");
    }
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->at - '0', &n)) {
            return fail(c, "its shape is too large");
        }
    }
    take_word(c, "L"); /* Python 2 wrote long integers so */
    *dim = n;
    return 0;
}

static int parse_shape(struct cursor *c, struct npy *out)
{
    out->ndim = 0;
    if (!take(c, '(')) {
        return fail(c, "its shape cannot be understood");
    }
    while (!take(c, ')')) {
        if (out->ndim == PLAN_MAX_DIMS) {
            return fail(c, "it has more than 16 dimensions");
        }
        if (parse_dim(c, &out->shape[out->ndim++])) {
            return -1;
        }
        if (take(c, ',')) {
            continue;
        }
        if (!take(c, ')')) {
            return fail(c, "its shape cannot be understood");
        }
        break;
    }
    return 0;
}

static int parse_dictionary(struct cursor *c, struct npy *out)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    unsigned seen = 0, key;
    char name[32];
    int rc;

    if (!take(c, '{')) {
        return fail(c, "its header is not a dictionary");
    }
    while (!take(c, '}')) {
        if (take_string(c, name, sizeof name)) {
            return -1;
        }
        key = strcmp(name, "descr") == 0           ? DESCR
              : strcmp(name, "fortran_order") == 0 ? ORDER
              : strcmp(name, "shape") == 0         ? SHAPE
                                                   : 0;
        if (!key || (seen & key) || !take(c, ':')) {
            return fail(c, "its header has a key that does not belong there");
        }
        seen |= key;
        rc = key == DESCR ? parse_descr(c, out) : key == ORDER ? parse_bool(c, &out->fortran) : parse_shape(c, out);
        if (rc) {
            return -1;
        }
        if (!take(c, ',')) {
            if (take(c, '}')) {
                break;
            }
            return fail(c, "its header cannot be understood");
        }
    }
    if (seen != (DESCR | ORDER | SHAPE)) {
        return fail(c, "its header lacks descr, fortran_order or shape");
    }
    skip_blanks(c);
    return c->at == c->end ? 0 : fail(c, "something follows the dictionary in its header");
}

static int count_elements(struct cursor *c, struct npy *out)
{
    uint64_t nbytes;

    out->count = 1;
    for (uint32_t i = 0; i < out->ndim; i++) {
        if (__builtin_mul_overflow(out->count, (uint64_t)out->shape[i], &out->count)) {
            return fail(c, "its shape is too large");
        }
    }
    if (__builtin_mul_overflow(out->count, (uint64_t)out->size, &nbytes) || nbytes > INT64_MAX) {
        return fail(c, "its shape is too large");
    }
    return 0;
}

int npy_parse(const void *bytes, size_t size, const char *origin, struct npy *out, struct error *err)
{
    const unsigned char *b = bytes;
    struct cursor c = {.origin = origin, .err = err};
    size_t prefix, length;

    memset(out, 0, sizeof *out);
    if (size < 10 || memcmp(b, "\x93NUMPY", 6) != 0) {
        return fail(&c, "it does not begin as one");
    }
    if (b[6] < 1 || b[6] > 3) {
        return fail(&c, "its format version is not 1, 2 or 3");
    }
    prefix = b[6] == 1 ? 10 : 12;
    if (size < prefix) {
        return fail(&c, "it ends in its header");
    }
    length = b[8] | (size_t)b[9] << 8;
    if (prefix == 12) {
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    if (length > size - prefix) {
        return fail(&c, "it ends in its header");
    }
    c.at = (const char *)b + prefix;
    c.end = c.at + length;
    out->offset = prefix + length;
    return parse_dictionary(&c, out) || count_elements(&c, out) ? -1 : 0;
}
