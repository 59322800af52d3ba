/* Begin and end of a captured dispatch. */
#include "rank-worker/cpu/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "rank-worker/cpu/profile/profile_records.h"

static bool wanted(const struct device_switches *s)
{
    return s->dir && (s->swimlane || s->pmu || s->dep_gen || s->scope_stats || s->dump_args);
}

/* Threads without work look at it at any time, under the lock. */
static void set_current(struct device *dev, struct profile *p)
{
    pthread_mutex_lock(&dev->lock);
    dev->profile = p;
    pthread_mutex_unlock(&dev->lock);
}

int cpu_profile_begin(struct device *dev, const struct device_switches *switches, struct error *err)
{
    struct profile *p = dev->profiler;
    if (dev->profile) {
        set_current(dev, NULL); /* of a dispatch that was refused */
    }
    if (!wanted(switches)) {
        return 0;
    }
    if (!p) {
        p = dev->profiler = calloc(1, sizeof(*p));
        if (!p) {
            return error_nomem(err, "profiles", sizeof(*p));
        }
    }
    for (int i = 0; i < PROFILE_THREADS && p->want.pmu != switches->pmu; i++) {
        profile_pmu_close(&p->threads[i]); /* they count for another event type */
    }
    file_write_abort(&p->bin);
    profile_forget(p);
    p->want = *switches;
    p->want.dir = NULL; /* the caller's */
    p->dir = strdup(switches->dir);
    if (!p->dir) {
        return error_nomem(err, "profiles", strlen(switches->dir) + 1);
    }
    /* The first chunks are made now, not in the middle of the run. */
    if (profile_reserve(p)) {
        return error_nomem(err, "profiles", 0);
    }
    p->bin_failed = p->want.dump_args && profile_args_open(p, &p->bin_error); /* reported when it should be written */
    set_current(dev, p);
    return 0;
}

/* Each for itself: what one kind of profile cannot do, another may. */
static uint32_t report_lost(int rc, const struct error *err)
{
    if (rc == 0) {
        return 0;
    }
    log_msg(LOG_ERROR, "a file of profiles is lost: %s%s%s", err->what, err->hint[0] ? "; hint: " : "", err->hint);
    return 1;
}

static uint32_t write_all(const struct device *dev, struct profile *p)
{
    struct error err;
    uint32_t nlost = 0;
    if (p->want.swimlane) {
        nlost += report_lost(profile_write_swimlane(p, &err), &err);
    }
    if (p->want.pmu) {
        nlost += report_lost(profile_write_pmu(dev, p, &err), &err);
    }
    if (p->want.dep_gen) {
        nlost += report_lost(profile_write_deps(p, &err), &err);
    }
    if (p->want.scope_stats) {
        nlost += report_lost(profile_write_scopes(p, false, &err), &err);
    }
    if (p->want.dump_args) {
        nlost += report_lost(profile_write_args(p, &err), &err);
    }
    file_write_abort(&p->bin);
    return nlost;
}

void cpu_profile_end(struct device *dev)
{
    dev->profile->ended = true;
    set_current(dev, NULL);
}

uint32_t cpu_profile_save(struct device *dev)
{
    struct profile *p = dev->profiler;
    if (!p || !p->ended) {
        return 0;
    }
    p->ended = false;
    if (p->ndropped) {
        log_msg(LOG_WARN, "profiles in %s: no memory for %llu records", p->dir, (unsigned long long)p->ndropped);
    }
    return write_all(dev, p);
}

/* Kernels may still be running, and with them records in use. What the main thread alone has recorded is written. */
void cpu_profile_fail(struct device *dev)
{
    struct profile *p = dev->profile;
    struct error err;
    pthread_mutex_lock(&dev->lock);
    file_write_abort(&p->bin);
    p->bin_failed = true;
    pthread_mutex_unlock(&dev->lock);
    if (p->want.scope_stats && profile_write_scopes(p, true, &err)) {
        error_print(&err);
    }
}

void cpu_profile_free(struct device *dev)
{
    struct profile *p = dev->profiler;
    if (!p) {
        return;
    }
    for (int i = 0; i < PROFILE_THREADS; i++) {
        profile_pmu_close(&p->threads[i]);
    }
    file_write_abort(&p->bin);
    profile_free_records(p);
    free(p->dir);
    free(p);
    dev->profiler = dev->profile = NULL;
}

void cpu_profile_task(struct device *dev, struct task *task, const struct l3r_core_args *args)
{
    if (dev->profile->want.dep_gen) {
        profile_deps_task(dev, task, args);
    }
    if (dev->profile->want.dump_args) {
        profile_args_task(dev, task, args);
    }
}
