#include "orchestrator/tensor_file/pickle_code.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clean_name.h"

static const char *const hint = "save the tensors alone: torch.save(tensor, file), or of a dict of tensors";

static const struct pickle_code codes[256] = {
    [0x80] = {PICKLE_NOTHING, PICKLE_FORM_UNSIGNED, 1, 0}, /* PROTO */
    [0x95] = {PICKLE_NOTHING, PICKLE_FORM_UNSIGNED, 8, 0}, /* FRAME */
    ['.'] = {PICKLE_STOP, 0, 0, 0},
    ['N'] = {PICKLE_PUSH_NONE, 0, 0, 0},
    [0x88] = {PICKLE_PUSH_BOOL, 0, 0, 1},
    [0x89] = {PICKLE_PUSH_BOOL, 0, 0, 0},
    ['J'] = {PICKLE_PUSH_INT, PICKLE_FORM_SIGNED, 4, 0},
    ['K'] = {PICKLE_PUSH_INT, PICKLE_FORM_UNSIGNED, 1, 0},
    ['M'] = {PICKLE_PUSH_INT, PICKLE_FORM_UNSIGNED, 2, 0},
    [0x8a] = {PICKLE_PUSH_INT, PICKLE_FORM_LONG, 1, 0},
    ['G'] = {PICKLE_PUSH_FLOAT, PICKLE_FORM_UNSIGNED, 8, 0},
    ['X'] = {PICKLE_PUSH_TEXT, PICKLE_FORM_BYTES, 4, 0},
    [0x8c] = {PICKLE_PUSH_TEXT, PICKLE_FORM_BYTES, 1, 0},
    ['U'] = {PICKLE_PUSH_TEXT, PICKLE_FORM_BYTES, 1, 0},
    ['T'] = {PICKLE_PUSH_TEXT, PICKLE_FORM_BYTES, 4, 0},
    ['('] = {PICKLE_MARK, 0, 0, 0},
    ['0'] = {PICKLE_POP, 0, 0, 0},
    ['q'] = {PICKLE_PUT, PICKLE_FORM_UNSIGNED, 1, 0},
    ['r'] = {PICKLE_PUT, PICKLE_FORM_UNSIGNED, 4, 0},
    [0x94] = {PICKLE_MEMOIZE, 0, 0, 0},
    ['h'] = {PICKLE_GET, PICKLE_FORM_UNSIGNED, 1, 0},
    ['j'] = {PICKLE_GET, PICKLE_FORM_UNSIGNED, 4, 0},
    [')'] = {PICKLE_GATHER_TUPLE, 0, 0, 0},
    [0x85] = {PICKLE_GATHER_TUPLE, 0, 0, 1},
    [0x86] = {PICKLE_GATHER_TUPLE, 0, 0, 2},
    [0x87] = {PICKLE_GATHER_TUPLE, 0, 0, 3},
    ['t'] = {PICKLE_MARKED_TUPLE, 0, 0, 0},
    [']'] = {PICKLE_GATHER_LIST, 0, 0, 0},
    ['l'] = {PICKLE_MARKED_LIST, 0, 0, 0},
    ['}'] = {PICKLE_GATHER_DICT, 0, 0, 0},
    ['d'] = {PICKLE_MARKED_DICT, 0, 0, 0},
    ['a'] = {PICKLE_FILL_ONE, 0, 0, 1},
    ['s'] = {PICKLE_FILL_ONE, 0, 0, 2},
    ['e'] = {PICKLE_FILL_MARKED, 0, 0, 1},
    ['u'] = {PICKLE_FILL_MARKED, 0, 0, 2},
    ['c'] = {PICKLE_NAMED_GLOBAL, 0, 0, 0},
    [0x93] = {PICKLE_STACK_GLOBAL, 0, 0, 0},
    ['Q'] = {PICKLE_PERSISTENT_ID, 0, 0, 0},
    ['R'] = {PICKLE_REDUCE, 0, 0, 0},
    [0x81] = {PICKLE_REDUCE, 0, 0, 0}, /* NEWOBJ: of the allowed classes, the same */
    ['b'] = {PICKLE_BUILD, 0, 0, 0},
};

int pickle_reader_fail(const struct pickle_reader *r, const char *why)
{
    return error_set(r->err, r->origin, hint, "the pickle of %s cannot be read: %s (at byte %zu)", r->origin, why,
                     r->at);
}

int pickle_reader_refuse(const struct pickle_reader *r, const char *module, size_t module_length, const char *name,
                         size_t length)
{
    char text[200];

    snprintf(text, sizeof text, "%.*s.%.*s", (int)(module_length < 90 ? module_length : 90), module,
             (int)(length < 90 ? length : 90), name);
    return error_set(r->err, r->origin, hint, "%s holds a %s, which is neither a tensor nor part of one: it is not run",
                     r->origin, clean_name(text));
}

const struct pickle_code *pickle_reader_code(struct pickle_reader *r)
{
    const struct pickle_code *code;
    char why[64];

    if (r->at >= r->size) {
        pickle_reader_fail(r, "it ends too early");
        return NULL;
    }
    code = &codes[r->bytes[r->at]];
    if (code->action == PICKLE_UNKNOWN) {
        snprintf(why, sizeof why, "instruction 0x%02x is not one of saved tensors", r->bytes[r->at]);
        pickle_reader_fail(r, why);
        return NULL;
    }
    r->at++;
    return code;
}

static int take(struct pickle_reader *r, size_t count, const unsigned char **bytes)
{
    if (count > r->size - r->at) {
        return pickle_reader_fail(r, "it ends too early");
    }
    *bytes = r->bytes + r->at;
    r->at += count;
    return 0;
}

static uint64_t number(const unsigned char *bytes, size_t width)
{
    uint64_t value = 0;

    for (size_t i = width; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static int64_t extend(uint64_t value, size_t width)
{
    const unsigned shift = (unsigned)(64 - 8 * width);

    return width ? (int64_t)(value << shift) >> shift : 0;
}

int pickle_reader_argument(struct pickle_reader *r, const struct pickle_code *code, struct pickle_argument *out)
{
    const unsigned char *bytes = NULL;

    *out = (struct pickle_argument){0};
    if (code->form == PICKLE_FORM_NONE) {
        return 0;
    }
    if (take(r, code->width, &bytes)) {
        return -1;
    }
    out->integer = (int64_t)number(bytes, code->width);
    if (code->form == PICKLE_FORM_SIGNED) {
        out->integer = extend((uint64_t)out->integer, code->width);
    }
    if (code->form != PICKLE_FORM_BYTES && code->form != PICKLE_FORM_LONG) {
        return 0;
    }
    out->length = (size_t)out->integer;
    if (take(r, out->length, &bytes)) {
        return -1;
    }
    out->text = (const char *)bytes;
    if (code->form == PICKLE_FORM_LONG) {
        if (out->length > 8) {
            return pickle_reader_fail(r, "a number in it has more than 64 bits");
        }
        out->integer = extend(number(bytes, out->length), out->length);
    }
    return 0;
}

int pickle_reader_line(struct pickle_reader *r, const char **text, size_t *length)
{
    const char *begin = (const char *)r->bytes + r->at;
    const char *end = memchr(begin, '\n', r->size - r->at);

    if (!end) {
        return pickle_reader_fail(r, "it ends too early");
    }
    *text = begin;
    *length = (size_t)(end - begin);
    r->at += *length + 1;
    return 0;
}
