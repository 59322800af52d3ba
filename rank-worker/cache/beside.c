#include "rank-worker/cache/beside.h"

#include <string.h>

#include "common/base/args.h"

char *beside_source(const char *source)
{
    const char *slash = strrchr(source, '/'), *dot = strrchr(source, '.');
    size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - source) : strlen(source);

    return text_format("%.*s.so", (int)n, source);
}
