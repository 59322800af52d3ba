/*
 * profile_rig - captured runs of the programs of graph.cpp, and their files.
 */
#ifndef L3R_TESTS_UNIT_PROFILE_RIG_H
#define L3R_TESTS_UNIT_PROFILE_RIG_H

#include "tests/unit/cpu_rig.h"

#include <cjson/cJSON.h>

#include "common/base/file.h"

static char *profile_dir; /* of the run under test */

/* Run a program with these switches; the files are in profile_dir until profile_done(). */
static inline void profile_run(enum program_name which, struct device_switches switches)
{
    profile_dir = temp_dir_make();
    switches.dir = profile_dir;
    rig.switches = switches;
    assert_int_equal(rig_run(which), 0);
    rig.switches = (struct device_switches){0};
}

static inline void profile_done(void)
{
    temp_dir_remove(profile_dir);
    profile_dir = NULL;
}

/* A file of the run, to be freed; NULL when it is not there. */
static inline char *profile_text(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", profile_dir, name);
    return access(path, F_OK) == 0 ? file_read(path, 1u << 30, size, &rig.err) : NULL;
}

static inline cJSON *profile_json(const char *name)
{
    char *text = profile_text(name, NULL);
    assert_non_null(text);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

static inline const cJSON *item(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!value) {
        fail_msg("no \"%s\"", key);
    }
    return value;
}

static inline double number(const cJSON *object, const char *key)
{
    assert_true(cJSON_IsNumber(item(object, key)));
    return item(object, key)->valuedouble;
}

static inline const char *text_of(const cJSON *object, const char *key)
{
    assert_true(cJSON_IsString(item(object, key)));
    return item(object, key)->valuestring;
}

static inline double column(const cJSON *row, int i)
{
    assert_true(cJSON_IsNumber(cJSON_GetArrayItem(row, i)));
    return cJSON_GetArrayItem(row, i)->valuedouble;
}

#endif
