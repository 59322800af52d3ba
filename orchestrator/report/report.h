/*
 * report - what the profiles of one run say, as numbers: made once (report_make.h), printed as text, JSON or HTML
 * (report_print.h).
 *
 * Meanings: docs/formats.md, "Report document". All times are nanoseconds; those of `run` count from the start of its
 * first node.
 */
#ifndef L3R_ORCHESTRATOR_REPORT_REPORT_H
#define L3R_ORCHESTRATOR_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orchestrator/profiles/critical_path.h"
#include "orchestrator/profiles/dfx_read.h"
#include "orchestrator/profiles/run_record.h"
#include "orchestrator/report/stats.h"

#define REPORT_NONE UINT32_MAX

/* One kernel of one program over all ranks. */
struct report_kernel {
    char *program, *name;
    int core_type; /* of swimlane.h */
    uint64_t *values;
    size_t nvalue, value_capacity;
    struct stats stats;
    uint64_t cpu_ns;                  /* processor time of its tasks */
    bool has_cpu;                     /* it is known of all of them */
    uint32_t slowest_rank, slowest_k; /* where its longest task ran */
    uint64_t slowest_ns;
    uint64_t critical_ns; /* its part of the critical path through the plan */
};

/* A kernel's part of the critical path through the tasks of one dispatch. */
struct report_part {
    size_t kernel;
    uint64_t ns;
    uint32_t ntask;
};

struct report_dispatch {
    uint32_t rank, k;
    char *program; /* NULL: not known */
    uint32_t node; /* of the run; REPORT_NONE: not known */
    bool idle;     /* the run was stopped before it: whatever is there of it counts in no statistic */
    bool timed;    /* time_ns is known and counts: with a record of the run it is the run's, else the records' */
    bool no_tasks; /* its profiles are whole, and it ran nothing */
    bool has_profile, has_records, has_deps, has_names, has_pmu;
    int64_t level;
    uint32_t ntask;
    uint64_t start_ns, end_ns; /* of the run; 0, 0 when it has none */
    uint64_t span_ns;          /* first record to last; 0 without records */
    uint64_t time_ns;          /* end - start when the run is known, else span_ns; 0 unless `timed` */
    struct stats tasks;        /* of the tasks on cores; none of an idle dispatch */
    struct report_part *parts; /* by time, longest first; empty without deps */
    size_t npart, part_capacity;
    uint64_t part_gap_ns; /* of that path: no kernel ran on it */
    struct notes notes;
};

/* Time that a rank waited for nodes of one lane. */
struct report_wait {
    uint32_t lane;
    uint64_t ns;
};

struct report_rank {
    uint32_t rank;
    struct stats dispatches;                    /* time_ns of its dispatches */
    uint64_t computing_ns, launch_ns, after_ns; /* in dispatches; ready to start but not started; after its last one */
    uint64_t profiles_ns;      /* from the ends of its dispatches on, in which their profiles were written */
    struct report_wait *waits; /* by lane; only lanes that were waited for; none when the run is not known */
    size_t nwait, wait_capacity;
    uint64_t host_ns, ranks_ns; /* sums of the above: host lane and sub-workers; cards */
    uint64_t behind_ns;         /* over its slots: its time above the fastest rank's */
    uint32_t slowest_of;        /* slots in which it was the slowest */
};

/* The k-th dispatches of several cards, where they run the same program. */
struct report_slot {
    uint32_t k;
    const char *program;
    uint32_t nrank, slowest;
    uint64_t min_ns, max_ns;
    uint64_t start_spread_ns, end_spread_ns; /* last minus first; 0 when the run is not known */
    size_t first, count;                     /* in slot_times: the ranks' times, by rank */
};

struct report_slot_time {
    uint32_t rank;
    uint64_t ns;
};

struct report {
    const char *dir;
    bool related; /* l3_run.json is there, and the clocks in it are aligned */
    struct run_record run;
    uint64_t span_ns;                   /* first start to last end */
    struct report_dispatch *dispatches; /* by rank, then k */
    size_t ndispatch, dispatch_capacity;
    struct report_rank *ranks;
    size_t nrank;
    struct report_kernel *kernels; /* the longest first, by report_kernel_ns() */
    size_t nkernel, kernel_capacity;
    struct report_slot *slots;
    size_t nslot, slot_capacity;
    struct report_slot_time *slot_times;
    size_t nslot_time, slot_time_capacity;
    uint32_t straggler;      /* REPORT_NONE: no slot to compare in */
    struct path_step *steps; /* critical path through the plan; item = node; the first gap is from the run's start */
    size_t nstep;
    uint64_t step_gap_ns;
    struct notes notes;
};

void report_free(struct report *r); /* a zeroed struct is fine */

/* Kernels are compared by processor time: cards shared cores, and it is known of all. Else by total time. */
bool report_by_cpu(const struct report *r);
uint64_t report_kernel_ns(const struct report *r, const struct report_kernel *k);

/* The run asked for other profiles than the swimlane: that there are no tasks is no fault. */
bool report_is_without_tasks(const struct report *r);

/* The dispatch of a node of the run; NULL: the node is none. */
const struct report_dispatch *report_dispatch_of(const struct report *r, uint32_t node);

/* "12.3 us" in `buf`: three digits, in the unit that suits. */
const char *report_time(double ns, char *buf, size_t size);

/* Of a `whole` of nothing, any part is 0. */
double report_percent(uint64_t part, uint64_t whole);

const char *report_core_name(int core_type);

/* "straggler: rank 3: ..." in `buf`, for people; NULL: there is none. */
const char *report_straggler(const struct report *r, char *buf, size_t size);

#endif
