#include "common/base/line_name.h"

#include <ctype.h>
#include <string.h>

void line_name_put(FILE *f, const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        if (*c <= ' ' || *c == 0x7f || *c == '%') {
            fprintf(f, "%%%02X", *c);
        } else {
            putc(*c, f);
        }
    }
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return at ? (int)(at - digits) : -1;
}

char *line_name_take(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        int high = *from == '%' ? digit(from[1]) : -1, low = high < 0 ? -1 : digit(from[2]);

        if (low < 0 || high * 16 + low == 0) {
            *to = *from++;
        } else {
            *to = (char)(high * 16 + low);
            from += 3;
        }
    }
    *to = '\0';
    return text;
}
