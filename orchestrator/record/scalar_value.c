#include "orchestrator/record/scalar_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int no_value(const struct build_param *p, const char *text, struct error *err)
{
    char hint[256];

    snprintf(hint, sizeof hint, "give a number: --scalar %.200s=...", p->name);
    return error_set_kind(err, ERROR_USAGE, "--scalar", hint, "'%.80s' is not a value for the scalar '%s' (%s)", text,
                          p->name, p->dtype_text);
}

static int read_float(const struct build_param *p, const char *text, uint64_t *bits, struct error *err)
{
    char *end;
    float value = strtof(text, &end); /* the nearest float32; too large: infinity, as in C */
    uint32_t word;

    if (end == text || *end) {
        return no_value(p, text, err);
    }
    memcpy(&word, &value, sizeof word);
    *bits = word;
    return 0;
}

struct range {
    int64_t low;
    uint64_t high;
};

static struct range range_of(enum dtype type)
{
    switch (type) {
    case DTYPE_BOOL:
        return (struct range){0, 1};
    case DTYPE_INT8:
        return (struct range){INT8_MIN, INT8_MAX};
    case DTYPE_INT16:
        return (struct range){INT16_MIN, INT16_MAX};
    case DTYPE_INT32:
        return (struct range){INT32_MIN, INT32_MAX};
    case DTYPE_UINT8:
        return (struct range){0, UINT8_MAX};
    case DTYPE_UINT16:
        return (struct range){0, UINT16_MAX};
    case DTYPE_UINT32:
        return (struct range){0, UINT32_MAX};
    case DTYPE_UINT64:
        return (struct range){0, UINT64_MAX};
    default:
        return (struct range){INT64_MIN, INT64_MAX};
    }
}

int scalar_value(const struct build_param *p, const char *text, uint64_t *bits, struct error *err)
{
    const struct range range = range_of(p->dtype);
    const bool negative = text[strspn(text, " \t")] == '-';
    bool fits;
    char *end;

    text = strcasecmp(text, "true") == 0 ? "1" : strcasecmp(text, "false") == 0 ? "0" : text;
    if (dtype_is_float(p->dtype)) {
        return read_float(p, text, bits, err);
    }
    errno = 0;
    if (negative) {
        int64_t value = strtoll(text, &end, 0);
        fits = !errno && value >= range.low;
        *bits = (uint64_t)value;
    } else {
        *bits = strtoull(text, &end, 0);
        fits = !errno && *bits <= range.high;
    }
    if (end == text || *end) {
        return no_value(p, text, err);
    }
    if (fits) {
        return 0;
    }
    return error_set_kind(err, ERROR_USAGE, "--scalar", "give a value in this range",
                          "%.80s is out of range for the scalar '%s' (%s: %" PRId64 " to %" PRIu64 ")", text, p->name,
                          p->dtype_text, range.low, range.high);
}
