#include "rank-worker/lanes/executors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/install.h"
#include "common/process/process.h"
#include "common/segment/control_check.h"
#include "rank-worker/lanes/child_log.h"
#include "rank-worker/lanes/postmortem.h"

struct executor {
    struct executor_lane lane;
    struct process *process; /* NULL: not running */
    struct child_log log;
};

struct executors {
    struct segment *seg;
    uint32_t count;
    bool killed;   /* by us: how they ended says nothing */
    bool reported; /* a failure was handed out */
    struct executor *items;
};

enum { SAVING_LIMIT_MS = 500 };

/* The child sees its log and, as descriptors 3 to 5, the segment, and none of our MPI and event descriptors. It has a group of
 * its own: Ctrl-C is for the parent, which knows what to report, and what kernels and sub-workers start goes with it. */
static int start_one(struct executors *e, struct executor *x, const char *path, struct error *err)
{
    char lane[16], device[16], cores[16], parent[16];
    const char *argv[] = {path, lane, device, cores, parent, x->lane.dfx_dir, NULL};
    int parts[SEGMENT_PARTS];
    const struct process_options options = {.argv = argv,
                                            .streams = {PROCESS_NULL, PROCESS_PIPE, PROCESS_AS_STDOUT},
                                            .pass = parts,
                                            .npass = SEGMENT_PARTS,
                                            .own_group = true};

    snprintf(lane, sizeof lane, "%u", x->lane.lane);
    snprintf(device, sizeof device, "%d", x->lane.device_id);
    snprintf(cores, sizeof cores, "%d", x->lane.ncores);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    for (int i = 0; i < SEGMENT_PARTS; i++) {
        parts[i] = e->seg->parts[i].fd;
    }
    if (process_start(&x->process, &options, err) < 0) {
        if (err && !err->hint[0]) { /* it could not be executed */
            snprintf(err->hint, sizeof err->hint, "install l3replay again");
        }
        return -1;
    }
    child_log_open(&x->log, process_take_fd(x->process, PROCESS_STDOUT), x->lane.lane, e->seg->plan.world_size);
    return 0;
}

int executors_start(struct executors **out, struct segment *seg, const struct executor_lane *lanes, uint32_t count,
                    struct error *err)
{
    struct executors *e = calloc(1, sizeof *e);
    char path[4096];

    *out = NULL;
    if (e) {
        e->items = calloc(count ? count : 1, sizeof *e->items);
    }
    if (!e || !e->items) {
        free(e);
        return error_nomem(err, "executors", count * sizeof *e->items);
    }
    e->seg = seg;
    for (uint32_t i = 0; i < count; i++) {
        e->items[i].lane = lanes[i];
        e->items[i].log.fd = -1;
    }
    if (install_find(seg->header->device.kind == DEVICE_SIMPLER ? INSTALL_SIMPLER_EXECUTOR : INSTALL_EXECUTOR, path,
                     sizeof path, err) < 0) {
        goto fail;
    }
    for (e->count = 0; e->count < count; e->count++) {
        if (start_one(e, &e->items[e->count], path, err) < 0) {
            e->count++;
            goto fail;
        }
    }
    *out = e;
    return 0;
fail:
    executors_free(e);
    return -1;
}

nfds_t executors_poll(const struct executors *e, struct pollfd *fds)
{
    nfds_t n = 0;

    for (uint32_t i = 0; e && i < e->count; i++) {
        if (e->items[i].log.fd >= 0) {
            fds[n++] = (struct pollfd){.fd = e->items[i].log.fd, .events = POLLIN};
        }
    }
    return n;
}

void executors_service(struct executors *e)
{
    for (uint32_t i = 0; e && i < e->count; i++) {
        child_log_read(&e->items[i].log);
    }
}

static void judge(struct executors *e, struct executor *x, int status, bool *failed, struct error *err)
{
    if (e->killed || e->reported || postmortem(e->seg, x->lane.lane, status, err) == 0) {
        return;
    }
    e->reported = true;
    *failed = true;
    child_log_show_last(&x->log);
}

/* It has ended: what it wrote last is passed on. Returns its wait status. */
static int forget(struct executor *x)
{
    int status = process_status(x->process);

    process_free(x->process);
    x->process = NULL;
    child_log_read(&x->log);
    child_log_close(&x->log);
    return status;
}

uint32_t executors_reap(struct executors *e, bool *failed, struct error *err)
{
    uint32_t alive = 0;

    for (uint32_t i = 0; e && i < e->count; i++) {
        struct executor *x = &e->items[i];

        if (!x->process) {
            continue;
        }
        if (process_update(x->process) == PROCESS_RUNNING) {
            alive++;
            continue;
        }
        judge(e, x, forget(x), failed, err);
    }
    return alive;
}

static bool is_saving(const struct executors *e, const struct executor *x)
{
    return x->process && lane_view(e->seg, x->lane.lane).state == LANE_SAVING &&
           process_update(x->process) == PROCESS_RUNNING;
}

/* Profiles of what had finished are kept. A lane that goes on meanwhile runs into its end. */
static void let_save(const struct executors *e)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    const uint64_t until_ns = clock_now_ns() + SAVING_LIMIT_MS * UINT64_C(1000000);

    for (uint32_t i = 0; i < e->count; i++) {
        while (is_saving(e, &e->items[i]) && clock_now_ns() < until_ns) {
            nanosleep(&nap, NULL);
        }
    }
}

void executors_kill(struct executors *e)
{
    if (!e) {
        return;
    }
    e->killed = true;
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->items[i].process && !is_saving(e, &e->items[i])) {
            process_kill(e->items[i].process);
        }
    }
    let_save(e);
    for (uint32_t i = 0; i < e->count; i++) { /* all, before the first is waited for */
        if (e->items[i].process) {
            process_kill(e->items[i].process);
        }
    }
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->items[i].process) {
            forget(&e->items[i]);
        }
    }
}

void executors_free(struct executors *e)
{
    if (!e) {
        return;
    }
    executors_kill(e);
    for (uint32_t i = 0; i < e->count; i++) {
        child_log_close(&e->items[i].log);
    }
    free(e->items);
    free(e);
}
