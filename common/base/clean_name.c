#include "common/base/clean_name.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

static bool is_override(const unsigned char *at)
{
    return at[0] == 0xe2 &&
           ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) || (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

char *clean_name(char *name)
{
    const unsigned char *from = (const unsigned char *)name;
    char *to = name;

    if (!name) {
        return NULL;
    }
    while (*from) {
        bool override = is_override(from);

        *to++ = (char)(override || is_control(*from) ? '?' : *from);
        from += override ? 3 : 1;
    }
    *to = '\0';
    return name;
}
