#include "common/base/json_stream.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/json.h"

static void out_bytes(FILE *f, const char *text)
{
    for (const char *s = text; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            fprintf(f, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(f, "\\u%04x", c);
        } else {
            putc(c, f);
        }
    }
}

void json_out_text(FILE *f, const char *text)
{
    char *valid;

    if (!text) {
        fputs("null", f);
        return;
    }
    valid = json_utf8(text);
    putc('"', f);
    out_bytes(f, valid ? valid : "?");
    putc('"', f);
    free(valid);
}

void json_out_us(FILE *f, uint64_t ns)
{
    fprintf(f, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}
