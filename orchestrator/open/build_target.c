#include "orchestrator/open/build_target.h"

#include <string.h>
#include <strings.h>

#include "orchestrator/open/override.h"

const char *const target_backends[] = {"Ascend910B", "Ascend950", NULL};
static const char *const platforms[][2] = {{"a2a3", "a2a3sim"}, {"a5", "a5sim"}};

int target_backend(const char *name)
{
    for (int i = 0; target_backends[i]; i++) {
        if (strcmp(name, target_backends[i]) == 0) {
            return i;
        }
    }
    return -1;
}

int target_mode(const char *word)
{
    static const struct {
        const char *word;
        bool simulated;
    } words[] = {{"sim", true},       {"simulator", true}, {"simulation", true}, {"onboard", false},
                 {"hardware", false}, {"device", false},   {"npu", false}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            return words[i].simulated;
        }
    }
    return -1;
}

const char *target_platform(int backend, bool simulated)
{
    return platforms[backend][simulated];
}

/* Of a platform that is known. */
static int backend_of(const char *platform)
{
    return strncmp(platform, platforms[1][0], strlen(platforms[1][0])) == 0;
}

int build_set_target(struct build *b, const char *platform, const char *backend_type, const char *execution_mode,
                     struct error *err)
{
    int backend, mode;
    const char *named;

    if (platform && build_set_platform(b, platform, err) < 0) {
        return -1;
    }
    if (!backend_type && !execution_mode) {
        return 0;
    }
    backend = backend_type ? target_backend(backend_type) : backend_of(b->platform);
    mode = execution_mode ? target_mode(execution_mode) : build_platform_is_sim(b);
    if (backend < 0) {
        return error_set_kind(err, ERROR_USAGE, "--backend-type", "name one of them",
                              "\"%.60s\" is not a backend type; known are %s and %s", backend_type, target_backends[0],
                              target_backends[1]);
    }
    if (mode < 0) {
        return error_set_kind(err, ERROR_USAGE, "--execution-mode", "name one of them",
                              "\"%.60s\" is not a mode; known are " TARGET_MODES, execution_mode);
    }
    named = target_platform(backend, mode);
    if (platform && strcmp(platform, named) != 0) {
        return error_set_kind(
            err, ERROR_USAGE, "--platform", "give one of the two", "--platform %s contradicts %s%s%s, which %s %s",
            platform, backend_type ? "--backend-type" : "", backend_type && execution_mode ? " and " : "",
            execution_mode ? "--execution-mode" : "", backend_type && execution_mode ? "mean" : "means", named);
    }
    return build_set_platform(b, named, err);
}
