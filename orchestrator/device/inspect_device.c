#include "orchestrator/device/inspect_device.h"
#include "orchestrator/device/cpu_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/device/device_choice.h"
#include "rank-worker/compile/compile.h"
#include "rank-worker/compile/identity.h"

static void print_revision(const char *label, const char *revision, const char *why)
{
    printf("  %-10s %s%s%s\n", label, revision ? revision : "not known: ", revision || !why ? "" : why,
           revision ? ", clean" : "");
}

static void print_pto_isa(const struct runtime_info *info)
{
    const char *root = getenv("PTO_ISA_ROOT"), *why = NULL;
    char *revision;

    if (!root || !*root) {
        printf("PTO-ISA      not set: PTO_ISA_ROOT names a checkout\n");
    } else {
        revision = identity_checkout(root, &why);
        printf("PTO-ISA      %s\n", root);
        print_revision("revision", revision, why);
        free(revision);
    }
    if (info->pto_isa_pin && *info->pto_isa_pin) {
        printf("  %-10s %s\n", "wanted", info->pto_isa_pin);
    }
}

static bool was_built(const struct runtime_info *info, const char *platform, const char *runtime)
{
    for (size_t i = 0; i < info->built.n; i++) {
        const char *slash = strchr(info->built.v[i], '/');

        if (slash && strncmp(info->built.v[i], platform, (size_t)(slash - info->built.v[i])) == 0 &&
            strlen(platform) == (size_t)(slash - info->built.v[i]) && strcmp(slash + 1, runtime) == 0) {
            return true;
        }
    }
    return false;
}

static void print_verdict(const char *device, const struct error *why)
{
    printf("  %-10s %s%s\n", device, why ? "cannot run it: " : "can run it", why ? why->what : "");
}

static void print_build(const struct runtime_info *info, const struct build *build,
                        const struct program_table *programs)
{
    const struct device_options cpu = {.name = "cpu"}, simpler = {.name = "simpler"};
    enum device_kind kind;
    struct error why;
    bool fits = true;

    printf("build        %s, for %s\n", build->dir, build->platform);
    fits = device_choose(&cpu, build, &kind, &why) == 0 && cpu_check_programs(programs, NULL, &why) == 0;
    print_verdict("cpu", fits ? NULL : &why);
    fits = device_choose(&simpler, build, &kind, &why) == 0;
    for (size_t i = 0; fits && i < programs->count; i++) {
        if (!info->root || !was_built(info, build->platform, programs->items[i].runtime)) {
            error_set(&why, NULL, NULL, "there is no runtime %s for %s", programs->items[i].runtime, build->platform);
            fits = false;
        }
    }
    print_verdict("simpler", fits ? NULL : &why);
}

int inspect_device(const char *simpler_root, const struct build *build, const struct program_table *programs,
                   struct error *err)
{
    struct runtime_info info;
    struct error why;
    const bool there = runtime_info_ask(simpler_root, NULL, NULL, &info, &why) == 0;

    printf("cpu          a2a3sim and a5sim\n");
    if (there) {
        printf("simpler      %s (%s)\n", info.root, info.found);
        print_revision("revision", info.commands.runtime_revision, info.unrevised);
        for (size_t i = 0; i < info.built.n; i++) {
            printf("  %-10s %s\n", i ? "" : "built for", info.built.v[i]);
        }
    } else {
        printf("simpler      %s\n", why.what);
    }
    print_pto_isa(&info);
    if (build) {
        print_build(&info, build, programs);
    }
    runtime_info_free(&info);
    return fflush(stdout) == 0 ? 0 : error_errno(err, "stdout", NULL, "cannot write what was found");
}
