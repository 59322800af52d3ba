/* What the command line says about an opened build: device ids, platform, parameter names. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/open/build.h"

static const char *const platforms[] = {"a2a3", "a2a3sim", "a5", "a5sim"};

const char *build_platform_names(void)
{
    return "a2a3, a2a3sim, a5, a5sim";
}

bool build_platform_is_known(const char *platform)
{
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        if (strcmp(platform, platforms[i]) == 0)
            return true;
    }
    return false;
}

bool build_platform_is_sim(const struct build *b)
{
    size_t n = strlen(b->platform);

    return n > 3 && strcmp(b->platform + n - 3, "sim") == 0;
}

int build_set_platform(struct build *b, const char *platform, struct error *err)
{
    char *copy;

    if (!build_platform_is_known(platform))
        return error_set_kind(err, ERROR_USAGE, "--platform", "name one of them",
                              "\"%.60s\" is not a platform; known are %s", platform, build_platform_names());
    copy = strdup(platform);
    if (!copy)
        return error_nomem(err, "--platform", strlen(platform) + 1);
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
        if (p->dtype == DTYPE_COUNT || (cpu && narrow))
            return error_set(err, b->dir, "compile the program with another dtype",
                             "parameter %s is %s, which the %s device does not support", p->name, p->dtype_text,
                             device);
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

    if (**at < '0' || **at > '9')
        return -1;
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

    if (first < 0)
        return bad_ids(err, spec, **at == '-' ? "a device number is not negative" : "a device number is missing");
    if (**at == '-') {
        ++*at;
        last = read_number(at);
        if (last < 0)
            return bad_ids(err, spec, "the end of a range is missing");
    }
    if (first > INT_MAX || last > INT_MAX)
        return bad_ids(err, spec, "a number is too large");
    if (last < first)
        return bad_ids(err, spec, "a range ends before it begins");
    for (long id = first; id <= last; id++) {
        if (add_id(ids, count, id, spec, err))
            return -1;
    }
    return 0;
}

int build_set_device_ids(struct build *b, const char *spec, struct error *err)
{
    int *ids = malloc(BUILD_MAX_CARDS * sizeof *ids);
    const char *at = spec;
    uint32_t count = 0;
    int rc;

    if (!ids)
        return error_nomem(err, "--device-ids", BUILD_MAX_CARDS * sizeof *ids);
    for (;;) {
        rc = add_range(ids, &count, &at, spec, err);
        if (rc || *at != ',')
            break;
        at++;
    }
    if (rc == 0 && *at)
        rc = bad_ids(err, spec, "only digits, commas and hyphens can stand in it");
    if (rc) {
        free(ids);
        return -1;
    }
    free(b->device_ids);
    b->device_ids = ids;
    b->ndevice = count;
    return 0;
}

/* --- parameter names ---------------------------------------------------- */

size_t build_plain_length(const char *full)
{
    const char *suffix = strstr(full, "__");

    /* "__x" is a whole name: the compiler puts its suffix after a base that is not empty. */
    return suffix && suffix != full ? (size_t)(suffix - full) : strlen(full);
}

static void list_names(const char *const *names, size_t count, const char *plain, char *list, size_t size)
{
    size_t length = plain ? strlen(plain) : 0, used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        if (!plain || (build_plain_length(names[i]) == length && strncmp(names[i], plain, length) == 0))
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", names[i]);
    }
}

long build_match_name(const char *const *names, size_t count, const char *name, struct error *err)
{
    size_t length = strlen(name), matches = 0;
    char list[700];
    long found = -1;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return (long)i;
        if (length && build_plain_length(names[i]) == length && strncmp(names[i], name, length) == 0) {
            found = (long)i;
            matches++;
        }
    }
    if (matches == 1)
        return found;
    list_names(names, count, matches ? name : NULL, list, sizeof list);
    if (matches)
        error_set_kind(err, ERROR_USAGE, NULL, "write the full name", "\"%.60s\" can mean several parameters: %s", name,
                       list);
    else
        error_set_kind(err, ERROR_USAGE, NULL, "name one of them", "there is no parameter \"%.60s\"; there are: %s",
                       name, *list ? list : "none");
    return -1;
}

const struct build_param *build_find_param(const struct build *b, const char *name, struct error *err)
{
    const char **names = malloc((b->nparam + 1) * sizeof *names);
    long found;

    if (!names) {
        error_nomem(err, b->dir, (b->nparam + 1) * sizeof *names);
        return NULL;
    }
    for (uint32_t i = 0; i < b->nparam; i++)
        names[i] = b->params[i].name;
    found = build_match_name(names, b->nparam, name, err);
    free(names);
    return found < 0 ? NULL : &b->params[found];
}
