#include "orchestrator/supervise/lanes_table.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/clean_name.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/segment/control_check.h"
#include "orchestrator/supervise/window_writers.h"

/* " (domain comm_d0)" when the node is a dispatch that uses one, so that the table of a deadlock shows where its signals are. */
static const char *domain_of(const struct plan *plan, uint32_t node, char *buf, size_t size)
{
    const uint32_t domain = window_domain_of(plan, node);

    buf[0] = '\0';
    if (domain != PLAN_NONE) {
        snprintf(buf, size, " (domain %s)", plan_text(plan, plan->domains[domain].name));
    }
    return buf;
}

/* When the lane's state last changed, on our clock; UINT64_MAX: not known. */
static uint64_t since(const struct segment *seg, const struct job_clocks *clocks, uint32_t lane)
{
    struct clock_map map = job_clocks_lane_map(clocks, lane);

    return map.kind == CLOCK_UNALIGNED ? UINT64_MAX : clock_map_to_root(&map, lane_view(seg, lane).since_ns);
}

/* "for 2.1 s". */
static const char *how_long(const struct segment *seg, const struct job_clocks *clocks, uint32_t lane, char *buf,
                            size_t size)
{
    uint64_t from = since(seg, clocks, lane), now = clock_now_ns();

    if (from == UINT64_MAX) {
        snprintf(buf, size, "for an unknown time: its clock is not aligned");
    } else {
        snprintf(buf, size, "for %.1f s", now > from ? (double)(now - from) / 1e9 : 0.0);
    }
    return buf;
}

static bool is_asked(const struct segment *seg, uint32_t lane)
{
    return lane < seg->plan.world_size && lane_view(seg, lane).state == LANE_RUNNING;
}

static bool has_answered(const struct segment *seg, uint32_t lane)
{
    return atomic_load_explicit(&lane_status(seg, lane)->answered, memory_order_acquire) != 0;
}

void lanes_ask(const struct segment *seg, int limit_ms)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    const uint64_t until_ns = clock_now_ns() + (uint64_t)limit_ms * 1000000u;

    word_complete(&seg->common->ask);
    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        while (is_asked(seg, lane) && !has_answered(seg, lane) && clock_now_ns() < until_ns) {
            nanosleep(&nap, NULL);
        }
    }
}

/* What the executor wrote is input: a kernel may have written over it. */
static void print_answer(const struct segment *seg, uint32_t lane)
{
    char text[LANE_DOING];

    if (!is_asked(seg, lane) || !word_is_done(&seg->common->ask)) {
        return;
    }
    if (!has_answered(seg, lane)) {
        log_msg(LOG_ERROR, "    what it is in is not known: it gave no answer");
        return;
    }
    memcpy(text, lane_status(seg, lane)->doing, sizeof text);
    text[sizeof text - 1] = '\0';
    for (char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        end += *end ? 1 : 0;
        if (end > line && end[-1] == '\n') {
            end[-1] = '\0';
        }
        clean_name(line);
        log_msg(LOG_ERROR, "    %s", line);
    }
}

static void print_lane(const struct segment *seg, const struct job_clocks *clocks, uint32_t lane)
{
    const struct lane_view v = lane_view(seg, lane);
    const uint32_t node = v.node, awaits = v.awaits;
    char name[32], at[256], awaited[256], domain[128], other[32], time[64];

    how_long(seg, clocks, lane, time, sizeof time);
    plan_lane_name(seg->plan.world_size, lane, name, sizeof name);
    if (!v.sound) {
        log_msg(LOG_ERROR, "  %s: what it does was overwritten by a kernel", name);
    } else if (node >= seg->plan.nnode) {
        log_msg(LOG_ERROR, "  %s: %s, nothing run yet in this run", name, lane_state_name(v.state));
    } else if (v.state == LANE_WAITING && awaits < seg->plan.nnode) {
        plan_lane_name(seg->plan.world_size, seg->plan.nodes[awaits].lane, other, sizeof other);
        log_msg(LOG_ERROR, "  %s: %s waits for %s of %s, %s", name, plan_node_label(&seg->plan, node, at, sizeof at),
                plan_node_label(&seg->plan, awaits, awaited, sizeof awaited), other, time);
    } else {
        log_msg(LOG_ERROR, "  %s: %s %s%s, %s", name, lane_state_name(v.state),
                plan_node_label(&seg->plan, node, at, sizeof at), domain_of(&seg->plan, node, domain, sizeof domain),
                time);
    }
}

void lanes_table_print(const struct segment *seg, const struct job_clocks *clocks, unsigned most)
{
    unsigned shown = 0, more = 0;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        const enum lane_state state = lane_view(seg, lane).state;

        if (state == LANE_DONE || (state == LANE_STARTING && !plan_lane_is_used(&seg->plan, lane))) {
            continue;
        }
        if (shown++ < most) {
            print_lane(seg, clocks, lane);
            print_answer(seg, lane);
        } else {
            more++;
        }
    }
    if (more) {
        log_msg(LOG_ERROR, "  ... and %u more lanes", more);
    }
}

uint64_t lanes_progress(const struct segment *seg)
{
    uint64_t done = 0;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        done += lane_view(seg, lane).ndone;
    }
    return done;
}

uint32_t lanes_longest_running(const struct segment *seg, const struct job_clocks *clocks)
{
    uint32_t longest = PLAN_NONE;
    uint64_t earliest = UINT64_MAX;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        uint64_t from;

        if (lane_view(seg, lane).state != LANE_RUNNING) {
            continue;
        }
        from = since(seg, clocks, lane);
        if (longest == PLAN_NONE || from < earliest) {
            earliest = from;
            longest = lane;
        }
    }
    return longest;
}

uint32_t lanes_saving(const struct segment *seg)
{
    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        if (lane_view(seg, lane).state == LANE_SAVING) {
            return lane;
        }
    }
    return PLAN_NONE;
}
