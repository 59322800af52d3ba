#include "orchestrator/job/marker.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/result_marker.h"

void marker_text(enum result_verdict verdict, const int *device_ids, uint32_t count, char *buf, size_t size)
{
    /* Harnesses parse one number: the first card's. */
    if (verdict == RESULT_PASS && count) {
        snprintf(buf, size, RESULT_MARKER "PASS device=%d", device_ids[0]);
    } else {
        snprintf(buf, size, RESULT_MARKER "%s", result_verdict_name(verdict));
    }
}

/* What is on its way to stdout. Not by stdio, which drops what it holds when a signal interrupts its write. */
struct pending {
    char text[512];
    size_t n;
    int failed; /* errno */
};

static void flush(struct pending *p)
{
    if (file_put(STDOUT_FILENO, p->text, p->n) < p->n && !p->failed) {
        p->failed = errno;
    }
    p->n = 0;
}

__attribute__((format(printf, 2, 3))) static void put(struct pending *p, const char *format, ...)
{
    char piece[128];
    va_list args;
    size_t n;

    va_start(args, format);
    n = (size_t)vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (n > sizeof p->text - p->n) {
        flush(p);
    }
    memcpy(p->text + p->n, piece, n);
    p->n += n;
}

int marker_print(enum result_verdict verdict, const int *device_ids, uint32_t count, uint32_t compared,
                 uint32_t outputs)
{
    struct pending p = {0};
    char line[64];

    fflush(stdout); /* what was printed before comes before; whether it was taken does not matter here */
    for (uint32_t i = 0; i < count; i++) {
        put(&p, "%s%d%s", i ? "," : "PYPTO_EXEC_DEVICES=", device_ids[i], i + 1 < count ? "" : "\n");
    }
    marker_text(verdict, device_ids, count, line, sizeof line);
    put(&p, RESULT_CHECKED "%u/%u outputs\n%s\n", compared, outputs, line);
    flush(&p);
    errno = p.failed;
    return p.failed ? -1 : 0;
}

enum exit_code marker_exit_code(enum result_verdict verdict)
{
    switch (verdict) {
    case RESULT_PASS:
        return EXIT_CODE_PASS;
    case RESULT_FAIL:
        return EXIT_CODE_FAIL;
    default:
        return EXIT_CODE_INFRA;
    }
}
