#include "common/base/xml_text.h"

#include <stdlib.h>

#include "common/base/json.h"

void xml_put_text(FILE *f, const char *text)
{
    char *valid = text ? json_utf8(text) : NULL;

    for (const char *s = valid; s && *s; s++) {
        switch (*s) {
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '&':
            fputs("&amp;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default:
            putc((unsigned char)*s < 0x20 ? ' ' : *s, f);
        }
    }
    free(valid);
}
