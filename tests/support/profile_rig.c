#include "tests/support/profile_rig.h"

#include "common/base/file.h"

char *profile_dir;

void profile_run(enum program_name which, struct device_switches switches)
{
    profile_dir = temp_dir_make();
    switches.dir = profile_dir;
    rig.switches = switches;
    assert_int_equal(rig_run(which), 0);
    rig.switches = (struct device_switches){0};
}

void profile_done(void)
{
    temp_dir_remove(profile_dir);
    profile_dir = NULL;
}

char *profile_text(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", profile_dir, name);
    return access(path, F_OK) == 0 ? file_read(path, 1u << 30, size, &rig.err) : NULL;
}

cJSON *profile_json(const char *name)
{
    char *text = profile_text(name, NULL);
    assert_non_null(text);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

const cJSON *profile_item(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!value) {
        fail_msg("no \"%s\"", key);
    }
    return value;
}

double profile_number(const cJSON *object, const char *key)
{
    assert_true(cJSON_IsNumber(profile_item(object, key)));
    return profile_item(object, key)->valuedouble;
}

const char *profile_text_of(const cJSON *object, const char *key)
{
    assert_true(cJSON_IsString(profile_item(object, key)));
    return profile_item(object, key)->valuestring;
}

double profile_column(const cJSON *row, int i)
{
    assert_true(cJSON_IsNumber(cJSON_GetArrayItem(row, i)));
    return cJSON_GetArrayItem(row, i)->valuedouble;
}
