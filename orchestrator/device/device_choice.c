#include "orchestrator/device/device_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/device/runtime_fill_build.h"

int device_choose(const struct device_options *o, const struct build *build, enum device_kind *kind, struct error *err)
{
    const bool sim = build_platform_is_sim(build), given = o->name && strcmp(o->name, "auto") != 0;

    *kind = given ? (strcmp(o->name, "simpler") == 0 ? DEVICE_SIMPLER : DEVICE_CPU) : sim ? DEVICE_CPU : DEVICE_SIMPLER;
    if (*kind == DEVICE_CPU && !sim) {
        return error_set(err, "--device cpu", "add --platform a2a3sim or a5sim",
                         "the cpu device runs simulator platforms only, this build is for %s", build->platform);
    }
    if (*kind == DEVICE_SIMPLER && !sim) {
        return error_set(err, build->platform, "replay it on a simulator platform: --platform a2a3sim or a5sim",
                         "the simpler device runs simulator platforms only in this version, and there is no other "
                         "device for platform %s in this version",
                         build->platform);
    }
    return 0;
}

/* All programs of a build are made for one runtime. */
static const char *runtime_of(const struct program_table *programs, const bool *wanted, struct error *err)
{
    const char *name = NULL;

    for (size_t i = 0; i < programs->count; i++) {
        const struct program *p = &programs->items[i];

        if (wanted && !wanted[i]) {
            continue;
        }
        if (name && strcmp(name, p->runtime) != 0) {
            error_set(err, p->dir, "compile the build again",
                      "program %s is made for the runtime %s, others of the build for %s: one process has one runtime",
                      p->name, p->runtime, name);
            return NULL;
        }
        if (p->enable_sdma) {
            error_set(err, p->dir, "replay it on hardware",
                      "program %s asks for the SDMA engine (enable_sdma), which simulators do not have", p->name);
            return NULL;
        }
        name = p->runtime;
    }
    return name ? name : "tensormap_and_ringbuffer";
}

static int put_path(char *to, const char *path, struct error *err)
{
    return snprintf(to, DEVICE_PATH, "%s", path) < DEVICE_PATH
               ? 0
               : error_set(err, path, "install the runtime at a shorter path", "the path is too long");
}

static int fill_setup(const struct device_options *o, const struct build *build, const struct runtime_info *info,
                      const char *fill, struct device_setup *s, struct error *err)
{
    const int threads = o->aicpu_thread_num ? o->aicpu_thread_num : build->aicpu_thread_num;
    const char *revision = info->commands.runtime_revision;

    *s = (struct device_setup){.kind = DEVICE_SIMPLER, .aicpu_thread_num = threads};
    snprintf(s->revision, sizeof s->revision, "%s", revision ? revision : "");
    memcpy(s->task_window, o->task_window, sizeof s->task_window);
    memcpy(s->heap, o->heap, sizeof s->heap);
    memcpy(s->dep_pool, o->dep_pool, sizeof s->dep_pool);
    if (put_path(s->root, info->root, err) < 0 || put_path(s->fill, fill, err) < 0 ||
        put_path(s->host, info->host, err) < 0 || put_path(s->aicpu, info->aicpu, err) < 0 ||
        put_path(s->aicore, info->aicore, err) < 0 || put_path(s->sim_context, info->sim_context, err) < 0) {
        return -1;
    }
    return put_path(s->dispatcher, info->dispatcher, err);
}

static void note_revisions(const struct runtime_info *info)
{
    const struct stack_commands *c = &info->commands;

    if (info->unrevised) {
        log_note("the revision of the simpler runtime at %s is not known (%s), so that all binaries are built again",
                 info->root, info->unrevised);
    }
    if (*info->pto_isa_pin && c->pto_isa_revision && strcmp(info->pto_isa_pin, c->pto_isa_revision) != 0) {
        log_note("the simpler runtime was made for revision %.12s of PTO-ISA, PTO_ISA_ROOT has %.12s",
                 info->pto_isa_pin, c->pto_isa_revision);
    }
}

int device_prepare_simpler(const struct device_options *o, const struct build *build,
                           const struct program_table *programs, const bool *wanted, struct runtime_info *info,
                           struct device_setup *setup, struct error *err)
{
    const char *runtime = runtime_of(programs, wanted, err);
    char *fill = NULL;
    int rc;

    *info = (struct runtime_info){0};
    if (!runtime || runtime_info_ask(o->simpler_root, build->platform, runtime, info, err) < 0 ||
        runtime_fill_build(info, &fill, err) < 0) {
        return -1;
    }
    note_revisions(info);
    log_msg(LOG_INFO, "simpler runtime %s at %s, for %s",
            info->commands.runtime_revision ? info->commands.runtime_revision : "", info->root, build->platform);
    rc = fill_setup(o, build, info, fill, setup, err);
    free(fill);
    return rc;
}
