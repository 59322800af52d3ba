#include "orchestrator/clocks/job_clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "topology/placement.h"

void job_clocks_identify(struct job_clock_identity *own)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    char boot[48] = "";
    struct stat ns = {0};

    memset(own, 0, sizeof *own);
    if (gethostname(own->host, sizeof own->host - 1) < 0) {
        own->host[0] = '\0';
    }
    if (f) {
        if (!fgets(boot, sizeof boot, f)) {
            boot[0] = '\0';
        }
        fclose(f);
    }
    boot[strcspn(boot, "\n")] = '\0';
    if (stat("/proc/self/ns/time", &ns) < 0) {
        memset(&ns, 0, sizeof ns); /* kernels before 5.6 have one time namespace */
    }
    if (*boot) {
        snprintf(own->identity, sizeof own->identity, "%s %llx:%llx", boot, (unsigned long long)ns.st_dev,
                 (unsigned long long)ns.st_ino);
    } else { /* nothing shows which clocks are one: this one is measured by itself */
        snprintf(own->identity, sizeof own->identity, "%.60s %ld", own->host, (long)getpid());
    }
}

int job_clocks_open(struct job_clocks *clocks, const struct mpi_job *job, const struct plan *plan, struct error *err)
{
    memset(clocks, 0, sizeof *clocks);
    clocks->processes = calloc((size_t)job->size, sizeof *clocks->processes);
    if (!clocks->processes) {
        return error_nomem(err, "clocks", (size_t)job->size * sizeof *clocks->processes);
    }
    clocks->size = (uint32_t)job->size;
    clocks->world_size = plan->world_size;
    clocks->begun_ns = clock_now_ns();
    job_clocks_identify(&clocks->processes[0].own);
    return 0;
}

uint32_t job_clocks_leader(const struct job_clocks *clocks, uint32_t process)
{
    const char *identity = clocks->processes[process].own.identity;
    uint32_t first, count;

    for (uint32_t p = 0; p < process && *identity; p++) {
        placement_block(clocks->world_size, clocks->size, p, &first, &count);
        if ((p == 0 || count) && strcmp(clocks->processes[p].own.identity, identity) == 0) {
            return p;
        }
    }
    return process;
}

static uint32_t process_of(const struct job_clocks *clocks, uint32_t lane)
{
    return lane < clocks->world_size ? placement_owner(clocks->world_size, clocks->size, lane) : 0;
}

static struct clock_map leader_map(const struct job_clocks *clocks, uint32_t leader, struct error *err)
{
    const struct job_clocks_process *p = &clocks->processes[leader];
    struct clock_map map = {.kind = leader == 0 ? CLOCK_SHARED : CLOCK_UNALIGNED};

    err->what[0] = '\0';
    if (leader && p->npoint && clock_map_make(&map, &p->points[0], p->npoint > 1 ? &p->points[1] : NULL, err) < 0) {
        map = (struct clock_map){.kind = CLOCK_UNALIGNED};
    }
    return map;
}

struct clock_map job_clocks_lane_map(const struct job_clocks *clocks, uint32_t lane)
{
    struct error ignored;

    if (!clocks) {
        return (struct clock_map){.kind = CLOCK_SHARED};
    }
    return leader_map(clocks, job_clocks_leader(clocks, process_of(clocks, lane)), &ignored);
}

/* The clocks of all lanes, in the order in which lanes need them, process 0's first. */
static int list_clocks(struct job_clocks *clocks, uint32_t nlane, struct error *err)
{
    struct run_clocks *list = &clocks->result;
    uint32_t *known = malloc(clocks->size * sizeof *known); /* by leader: its clock */

    run_clocks_free(list);
    list->items = calloc(nlane + 1u, sizeof *list->items);
    list->of_lane = calloc(nlane, sizeof *list->of_lane);
    if (!known || !list->items || !list->of_lane) {
        free(known);
        return error_nomem(err, "clocks", nlane * sizeof *list->items);
    }
    list->nlane = nlane;
    list->count = 1;
    snprintf(list->items[0].host, sizeof list->items[0].host, "%s", clocks->processes[0].own.host);
    for (uint32_t p = 0; p < clocks->size; p++) {
        known[p] = p == 0 ? 0 : UINT32_MAX;
    }
    for (uint32_t lane = 0; lane < nlane; lane++) {
        uint32_t leader = job_clocks_leader(clocks, process_of(clocks, lane));
        if (known[leader] == UINT32_MAX) {
            struct run_clock *clock = &list->items[list->count];
            struct error fault;
            known[leader] = list->count++;
            clock->map = leader_map(clocks, leader, &fault);
            snprintf(clock->host, sizeof clock->host, "%s", clocks->processes[leader].own.host);
            if (*fault.what) {
                log_msg(LOG_WARN, "the clock of process %u could not be aligned: %s", leader, fault.what);
            }
        }
        list->of_lane[lane] = known[leader];
    }
    free(known);
    return 0;
}

/* First start and last end of the nodes that ran on a clock, as its executors wrote them; false: none did. */
static bool raw_range(const struct job_clocks *clocks, const struct segment *seg, uint32_t clock, uint64_t *from,
                      uint64_t *to)
{
    *from = UINT64_MAX;
    *to = 0;
    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        const struct segment_times *raw = &seg->times[i];

        if (clocks->result.of_lane[seg->plan.nodes[i].lane] != clock || !raw->end_ns) {
            continue;
        }
        *from = raw->start_ns < *from ? raw->start_ns : *from;
        *to = raw->end_ns > *to ? raw->end_ns : *to;
    }
    return *to > 0;
}

static void finish_clock(struct job_clocks *clocks, const struct segment *seg, uint32_t index)
{
    struct run_clock *clock = &clocks->result.items[index];
    bool ran;
    uint64_t from, to;

    ran = raw_range(clocks, seg, index, &from, &to);
    /* Nothing starts before the run: the earliest place is where the least is claimed that is surely wrong. */
    if (clock->map.kind == CLOCK_UNALIGNED && ran) {
        clock->map.points[0].offset_ns = (int64_t)(clocks->begun_ns - from);
    }
    if (!ran) {
        from = to = clock->map.points[0].at_ns;
    }
    clock->error_ns = clock_map_worst_error(&clock->map, from, to);
}

/* As an executor wrote them, unless it was a kernel that did: then the node did not run. */
static struct segment_times sane_times(const struct segment_times *raw)
{
    struct segment_times t = *raw;

    if (t.start_ns == 0 || t.end_ns < t.start_ns || t.end_ns >= (uint64_t)INT64_MAX) {
        memset(&t, 0, sizeof t);
    }
    return t;
}

int job_clocks_settle(struct job_clocks *clocks, struct segment *seg, struct error *err)
{
    const struct plan *plan = &seg->plan;

    if (list_clocks(clocks, plan_lane_count(plan), err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        seg->times[i] = sane_times(segment_node_times(seg, i));
    }
    for (uint32_t i = 0; i < clocks->result.count; i++) {
        finish_clock(clocks, seg, i);
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        struct segment_times *t = &seg->times[i];
        const struct clock_map *map = &run_clocks_of(&clocks->result, plan->nodes[i].lane)->map;
        if (!t->end_ns) {
            continue;
        }
        t->start_ns = clock_map_to_root(map, t->start_ns);
        t->end_ns = clock_map_to_root(map, t->end_ns);
    }
    return 0;
}

void job_clocks_free(struct job_clocks *clocks)
{
    free(clocks->processes);
    run_clocks_free(&clocks->result);
    memset(clocks, 0, sizeof *clocks);
}
