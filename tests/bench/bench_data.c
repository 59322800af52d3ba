/* How fast inputs are generated and outputs compared, 256 MB each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "orchestrator/data/compare_parallel.h"
#include "orchestrator/data/generate.h"
#include "orchestrator/data/verify.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    enum { BYTES = 256 << 20 };
    static const enum dtype types[] = {DTYPE_FLOAT32, DTYPE_BFLOAT16, DTYPE_FLOAT16,
                                       DTYPE_INT32,   DTYPE_INT8,     DTYPE_INT64};
    char *a = malloc(BYTES), *b = malloc(BYTES);
    struct comparison c;

    if (!a || !b) {
        return 1;
    }
    memset(a, 0, BYTES); /* pages are there before the clock runs */
    memset(b, 0, BYTES);
    printf("%-10s %12s %12s\n", "dtype", "generate s", "compare s");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint64_t count = BYTES / dtype_size(types[i]);
        double t0 = now(), t1, t2;
        generate(types[i], 1, "x", a, count);
        t1 = now();
        memcpy(b, a, BYTES);
        t2 = now();
        compare_elements(types[i], a, b, count, TOLERANCE_DEFAULT, true, &c);
        printf("%-10s %12.3f %12.3f%s\n", dtype_name(types[i]), t1 - t0, now() - t2, c.mismatched ? " differ" : "");
    }
    free(a);
    free(b);
    return 0;
}
