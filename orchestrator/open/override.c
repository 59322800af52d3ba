#include "orchestrator/open/override.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int build_set_platform(struct build *b, const char *platform, struct error *err)
{
    char *copy;

    if (!build_platform_is_known(platform)) {
        return error_set_kind(err, ERROR_USAGE, "--platform", "name one of them",
                              "\"%.60s\" is not a platform; known are %s", platform, build_platform_names());
    }
    copy = strdup(platform);
    if (!copy) {
        return error_nomem(err, "--platform", strlen(platform) + 1);
    }
    free(b->platform);
    b->platform = copy;
    return 0;
}

int build_check_dtypes(const struct build *b, const char *device, struct error *err)
{
    bool cpu = strcmp(device, "cpu") == 0;

    for (uint32_t i = 0; i < b->nparam; i++) {
        const struct build_param *p = &b->params[i];
        bool narrow = p->dtype == DTYPE_FP8E4M3FN || p->dtype == DTYPE_FP8E8M0 || p->dtype == DTYPE_FP4E2M1;
        if (p->dtype == DTYPE_COUNT || (cpu && narrow)) {
            return error_set(err, b->dir, "compile the program with another dtype",
                             "parameter %s is %s, which the %s device does not support", p->name, p->dtype_text,
                             device);
        }
    }
    return 0;
}

/* --- device ids --------------------------------------------------------- */

static int bad_ids(struct error *err, const char *spec, const char *detail)
{
    return error_set_kind(err, ERROR_USAGE, "--device-ids", "write a list of device numbers and ranges: 0,1,4 or 0-3",
                          "device ids \"%.100s\": %s", spec, detail);
}

/* A number at `*at` (digits only: strtol alone would take blanks and signs), or -1. */
static long read_number(const char **at)
{
    char *end;
    long n;

    if (**at < '0' || **at > '9') {
        return -1;
    }
    errno = 0;
    n = strtol(*at, &end, 10);
    *at = end;
    return errno || n > INT_MAX ? LONG_MAX : n;
}

static int add_id(int *ids, uint32_t *count, long id, const char *spec, struct error *err)
{
    char detail[120];

    for (uint32_t i = 0; i < *count; i++) {
        if (ids[i] == (int)id) {
            snprintf(detail, sizeof detail, "device %ld is named twice; two cards cannot share one", id);
            return bad_ids(err, spec, detail);
        }
    }
    if (*count == BUILD_MAX_CARDS) {
        snprintf(detail, sizeof detail, "more than %d cards", BUILD_MAX_CARDS);
        return bad_ids(err, spec, detail);
    }
    ids[(*count)++] = (int)id;
    return 0;
}

static int add_range(int *ids, uint32_t *count, const char **at, const char *spec, struct error *err)
{
    long first = read_number(at), last = first;

    if (first < 0) {
        return bad_ids(err, spec, **at == '-' ? "a device number is not negative" : "a device number is missing");
    }
    if (**at == '-') {
        ++*at;
        last = read_number(at);
        if (last < 0) {
            return bad_ids(err, spec, "the end of a range is missing");
        }
    }
    if (first > INT_MAX || last > INT_MAX) {
        return bad_ids(err, spec, "a number is too large");
    }
    if (last < first) {
        return bad_ids(err, spec, "a range ends before it begins");
    }
    for (long id = first; id <= last; id++) {
        if (add_id(ids, count, id, spec, err)) {
            return -1;
        }
    }
    return 0;
}

int build_set_device_ids(struct build *b, const char *spec, struct error *err)
{
    int *ids = malloc(BUILD_MAX_CARDS * sizeof *ids);
    const char *at = spec;
    uint32_t count = 0;
    int rc;

    if (!ids) {
        return error_nomem(err, "--device-ids", BUILD_MAX_CARDS * sizeof *ids);
    }
    for (;;) {
        rc = add_range(ids, &count, &at, spec, err);
        if (rc || *at != ',') {
            break;
        }
        at++;
    }
    if (rc == 0 && *at) {
        rc = bad_ids(err, spec, "only digits, commas and hyphens can stand in it");
    }
    if (rc) {
        free(ids);
        return -1;
    }
    free(b->device_ids);
    b->device_ids = ids;
    b->ndevice = count;
    return 0;
}
