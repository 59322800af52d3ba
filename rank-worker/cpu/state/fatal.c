#include "rank-worker/cpu/state/fatal.h"

#include <stdarg.h>
#include <stdio.h>

/* The first one counts: what follows is mostly its consequence. */
void cpu_fatal_text(struct device *dev, int32_t code, const char *text)
{
    if (!dev->fatal) {
        dev->fatal_code = code;
        snprintf(dev->fatal_text, sizeof(dev->fatal_text), "%s", text);
        dev->fatal = true;
    }
}

void cpu_fatal(struct device *dev, int32_t code, const char *fmt, ...)
{
    char text[sizeof(dev->fatal_text)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    cpu_fatal_text(dev, code, text);
}
