/* The file of a parameter below a build directory. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/data/fit.h"

static const char *const suffixes[] = {"npy", "pt"};

size_t fit_name_length(const char *param)
{
    size_t length = strlen(param), n = length;

    while (n && isdigit((unsigned char)param[n - 1])) {
        n--;
    }
    return n < length && n > 7 && memcmp(param + n - 7, "__ssa_v", 7) == 0 ? n - 7 : length;
}

/* Has no other parameter the first `length` bytes of `param` as its name of that kind? */
static bool is_unique(const struct build *build, const char *param, size_t length, size_t (*length_of)(const char *))
{
    uint32_t same = 0;

    for (uint32_t i = 0; i < build->nparam; i++) {
        const char *other = build->params[i].name;
        same += length_of(other) == length && strncmp(other, param, length) == 0;
    }
    return same == 1;
}

size_t fit_file_length(const struct build *build, const char *param)
{
    const size_t length = fit_name_length(param);

    return is_unique(build, param, length, fit_name_length) ? length : strlen(param);
}

/* Does <build>/<dir> exist? `dir` has a directory above it in the build, which may be missing too. */
static int has_directory(const struct build *build, const char *dir, struct error *err)
{
    size_t above = strcspn(dir, "/"), length = strlen(dir);
    int there = 1;

    for (size_t part = above; there == 1; part = length) {
        char *path;
        if (asprintf(&path, "%s/%.*s", build->dir, (int)part, dir) < 0) {
            return error_nomem(err, build->dir, strlen(build->dir) + part);
        }
        there = file_is_there(path, err);
        if (there == 1 && !file_is_directory(path)) {
            there = error_set(err, path, "remove or rename it", "%s is not a directory", path);
        }
        free(path);
        if (part == length) {
            break;
        }
    }
    return there;
}

static int find_suffix(const struct build *build, const char *dir, const char *name, size_t length, const char *suffix,
                       char **file, struct error *err)
{
    int there;

    if (asprintf(file, "%s/%s/%.*s.%s", build->dir, dir, (int)length, name, suffix) < 0) {
        *file = NULL;
        return error_nomem(err, build->dir, strlen(build->dir) + length);
    }
    there = file_is_there(*file, err);
    if (there == 1 && !file_is_regular(*file)) {
        there = error_set(err, *file, "remove or rename it", "%s is not a regular file", *file);
    }
    if (there != 1) {
        free(*file);
        *file = NULL;
    }
    return there < 0 ? -1 : 0;
}

static int find_named(const struct build *build, const char *dir, const char *name, size_t length, char **file,
                      struct error *err)
{
    char *other = NULL;

    if (find_suffix(build, dir, name, length, suffixes[0], file, err) ||
        find_suffix(build, dir, name, length, suffixes[1], *file ? &other : file, err)) {
        free(*file);
        *file = NULL;
        return -1;
    }
    if (other) {
        log_note("%s is not read, %s is", other, *file);
    }
    free(other);
    return 0;
}

/* Files of the parameter's name with another "__ssa_vN", which somebody may have meant for it. */
static void note_others(const struct build *build, const char *dir, const char *param)
{
    const size_t length = fit_name_length(param);
    char *path = NULL;
    struct args names = {0};

    if (asprintf(&path, "%s/%s", build->dir, dir) < 0) {
        return;
    }
    (void)directory_list(path, NULL, &names); /* it was there; what cannot be read holds nothing to name */
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.v[i], *dot = strrchr(name, '.');
        char *stem =
            dot && (strcmp(dot, ".pt") == 0 || strcmp(dot, ".npy") == 0) ? strndup(name, (size_t)(dot - name)) : NULL;

        if (stem && stem[fit_name_length(stem)] && fit_name_length(stem) == length &&
            strncmp(stem, param, length) == 0 && !build_find_param(build, stem, NULL)) {
            log_note("%s/%s is not read: the file of parameter %s is %.*s%s", dir, name, param, (int)length, param,
                     dot);
        }
        free(stem);
    }
    args_free(&names);
    free(path);
}

int fit_find(const struct build *build, const char *dir, const char *param, char **file, struct error *err)
{
    const size_t plain = build_plain_length(param), stem = fit_name_length(param);
    int there = has_directory(build, dir, err);

    *file = NULL;
    if (there != 1) {
        return there;
    }
    if (find_named(build, dir, param, strlen(param), file, err)) {
        return -1;
    }
    if (!*file && param[stem] && is_unique(build, param, stem, fit_name_length) &&
        find_named(build, dir, param, stem, file, err)) {
        return -1;
    }
    if (!*file && plain < stem && is_unique(build, param, plain, build_plain_length) &&
        find_named(build, dir, param, plain, file, err)) {
        return -1;
    }
    if (!*file) {
        note_others(build, dir, param);
    }
    return 0;
}
