/* Files of profiles: any bytes give what could be read and notes, or an error that says what is wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/profiles/run_record.h"
#include "orchestrator/profiles/swimlane_read.h"
#include "orchestrator/profiles/task_deps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int rc, const struct error *err)
{
    if (rc < 0 && !err->what[0]) {
        abort();
    }
}

static void check_swimlane(const struct swimlane *s)
{
    for (size_t i = 0; i < s->ntask; i++) {
        if (s->tasks[i].core >= SWIM_MAX_CORES || (i && s->tasks[i].start < s->tasks[i - 1].start)) {
            abort();
        }
    }
}

static void check_run(const struct run_record *r)
{
    for (size_t i = 0; i < r->nnode; i++) {
        if (r->nodes[i].lane >= r->nlane || r->nodes[i].end_ns < r->nodes[i].start_ns) {
            abort();
        }
        for (size_t e = 0; e < r->nodes[i].nedge; e++) {
            if (r->edges[r->nodes[i].first_edge + e].pred >= r->nnode) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct swimlane swimlane = {0};
    struct task_deps deps = {0};
    struct notes notes = {0};
    struct run_record run;
    char path[64];
    int fd = memfd_create("profile", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    check(swimlane_read(path, &swimlane, &notes, &err), &err);
    check_swimlane(&swimlane);
    check(task_deps_read(path, &deps, &notes, &err), &err);
    if (run_record_read(path, &run, &err) == 0) {
        check_run(&run);
        run_record_free(&run);
    } else {
        check(-1, &err);
    }
    swimlane_free(&swimlane);
    task_deps_free(&deps);
    notes_free(&notes);
    close(fd);
    return 0;
}
