#include "orchestrator/report/stats.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

struct stats stats_of(uint64_t *values, size_t count)
{
    struct stats s = {.count = count};
    size_t upper = count / 2, lower = count % 2 || !count ? upper : upper - 1;

    if (count == 0) {
        return s;
    }
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; i < count; i++) {
        s.total += values[i];
    }
    s.min = values[0];
    s.max = values[count - 1];
    s.mean = (double)s.total / (double)count;
    s.median = ((double)values[lower] + (double)values[upper]) / 2;
    s.p95 = values[(count * 95 + 99) / 100 - 1];
    return s;
}
