/*
 * segment_format - what lies in the parts of a segment (segment.h): the same for all programs of one installation.
 */
#ifndef L3R_COMMON_SEGMENT_SEGMENT_FORMAT_H
#define L3R_COMMON_SEGMENT_SEGMENT_FORMAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/segment/device_setup.h"
#include "common/segment/dfx.h"
#include "common/segment/futex.h"

/* An executor inherits the parts as descriptors from SEGMENT_FIRST_FD on, in this order. */
enum segment_part { SEGMENT_DATA = 0, SEGMENT_PLAN, SEGMENT_CONTROL, SEGMENT_PARTS };
enum { SEGMENT_FIRST_FD = 3 };

enum { LANE_DOING = 2048 }; /* bytes */

/* starting -> ready -> (waiting -> running -> saving)* -> done, or failed from anywhere. Saving: the node is complete,
 * its profiles are being written. */
enum lane_state { LANE_STARTING = 0, LANE_READY, LANE_WAITING, LANE_RUNNING, LANE_SAVING, LANE_DONE, LANE_FAILED };

/* Written by the lane's executor alone; read by anybody at any time. The first of the lane's block. */
struct segment_lane {
    _Alignas(64) _Atomic uint64_t canary; /* header.canary: else the block was overwritten */
    _Atomic uint64_t since_ns;            /* when `state` or `node` last changed (clock_now_ns) */
    _Atomic uint32_t state;               /* enum lane_state */
    _Atomic uint32_t node;                /* waiting to run, or running; PLAN_NONE before the first */
    _Atomic uint32_t awaits;              /* LANE_WAITING: the node waited for; else PLAN_NONE */
    _Atomic uint32_t ndone;               /* nodes completed, with their profiles */
    _Atomic uint32_t nopened;             /* dispatches that no longer waited for other members of their domain */
    _Atomic uint32_t nlost;               /* files of profiles that could not be written */
    _Atomic uint32_t suspect;  /* the first node during which the common pages were overwritten; else PLAN_NONE */
    _Atomic uint32_t answered; /* `doing` is complete: the answer to segment_common.ask */
    char doing[LANE_DOING];    /* what its card is in, in lines (device_ops.describe) */
    struct error error;        /* LANE_FAILED: why; complete before the state says so */
};

/* Times of one node; 0: not yet. Written by its executor. */
struct segment_times {
    uint64_t start_ns, end_ns; /* clock_now_ns */
    uint64_t device_ns;        /* first task start to last task end; 0 for host copies */
    uint64_t orch_ns;          /* the orchestration function; 0 for host copies */
    uint64_t effective_ns;     /* device_result.wall_ns: orchestration and tasks; 0 for host copies */
    uint64_t profile_ns;       /* writing its profiles, after the end; others do not wait for it */
    uint32_t ntasks;
    uint32_t turns_lost; /* device_result.turns_lost */
};

/* The first of the control part's common pages, which all executors write. */
struct segment_common {
    _Alignas(64) _Atomic uint64_t canary; /* header.canary, as in the last 8 bytes of these pages */
    _Atomic uint32_t starting;            /* executors that are not ready yet, set by the leader */
    futex_word go;                        /* completed by the last executor that got ready: until then no kernel runs */
    futex_word ask;                       /* completed by process 0: cards say what they are in */
};

/* The first of the plan part. */
struct segment_header {
    uint64_t magic;
    uint64_t nbytes[SEGMENT_PARTS];
    int32_t fds[SEGMENT_PARTS]; /* in the process that created it */
    uint32_t nlane, nnode, nstorage, nguard;
    uint32_t page; /* bytes */
    uint32_t log_level;
    uint64_t canary; /* a random number */
    char platform[32];
    struct dfx dfx;                /* what this run captures */
    bool free_threads;             /* device_config.free_threads of all cards */
    bool paced;                    /* members of a domain keep in step (rank-worker/executor/domain_pace.h) */
    struct device_setup device;    /* which device runs the cards, and what it needs */
    uint32_t skip_first, skip_end; /* nodes from the one to before the other count as complete without having run */
    uint32_t hashing;              /* 1: executors fill `hashes`, which nobody touches otherwise */
    uint64_t nhash;                /* arguments of all nodes */
    /* Offsets in the plan part. */
    uint64_t lanes_at; /* nlane + 1 offsets of the lanes' blocks in the control part; the first ends the common pages */
    uint64_t slots_at; /* nnode numbers: which of its lane's nodes it is */
    uint64_t storages_at; /* nstorage offsets in the data part */
    uint64_t guards_at;   /* nguard offsets in the data part, of one page each */
    uint64_t plan_at, plan_nbytes, sheet_at, sheet_nbytes;
    /* Offsets in the control part. */
    uint64_t words_at, hashes_at;
};

#endif
