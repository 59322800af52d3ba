#include "orchestrator/job/marker.h"

#include <errno.h>
#include <stdio.h>

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

int marker_print(enum result_verdict verdict, const int *device_ids, uint32_t count, uint32_t compared,
                 uint32_t outputs)
{
    char line[64];

    marker_text(verdict, device_ids, count, line, sizeof line);
    errno = 0;
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%d%s", i ? "," : "PYPTO_EXEC_DEVICES=", device_ids[i], i + 1 < count ? "" : "\n");
    }
    printf(RESULT_CHECKED "%u/%u outputs\n%s\n", compared, outputs, line);
    return fflush(stdout) || ferror(stdout) ? -1 : 0;
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
