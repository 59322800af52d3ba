/*
 * segment - the memory that all executors and processes of one node share.
 *
 * It holds the plan, the sheet (which objects a program is made of), a
 * completion word for each node, a status for each lane, the times of each
 * node, hashes of what nodes wrote, and the bytes of every storage: tensors and windows are used where
 * they lie. It is a memfd: it never has a name, so nothing is left behind
 * whichever process is killed, and it is mapped at any address, so it holds offsets
 * only.
 *
 * Life: created (by the node's leader, from a compiled plan) -> loaded
 * (parameters and fills written over storages of zeros) -> run -> read, or
 * rewound (segment_rewind: as created again) -> loaded -> run -> ...
 * The other processes map the leader's descriptor once, executors inherit the
 * descriptor and live for one run. The plan, the sheet and the layout never
 * change; `dfx`, `free_threads`, `hashing` and `starting` in the header are set by the leader
 * before each run. Only the leader creates, loads and rewinds, while no executor lives.
 */
#ifndef L3R_COMMON_SEGMENT_SEGMENT_H
#define L3R_COMMON_SEGMENT_SEGMENT_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/segment/dfx.h"
#include "common/segment/futex.h"

/* starting -> ready -> (waiting -> running -> saving)* -> done, or failed from anywhere. Saving: the node is complete,
 * its profiles are being written. */
enum lane_state { LANE_STARTING = 0, LANE_READY, LANE_WAITING, LANE_RUNNING, LANE_SAVING, LANE_DONE, LANE_FAILED };

/* Written by the lane's executor alone; read by anybody at any time. */
struct segment_lane {
    _Alignas(64) _Atomic uint32_t state; /* enum lane_state */
    _Atomic uint32_t node;               /* waiting to run, or running; PLAN_NONE before the first */
    _Atomic uint32_t awaits;             /* LANE_WAITING: the node waited for; else PLAN_NONE */
    _Atomic uint32_t ndone;              /* nodes completed, with their profiles */
    _Atomic uint32_t nlost;              /* files of profiles that could not be written */
    _Atomic uint64_t since_ns;           /* when `state` or `node` last changed (clock_now_ns) */
    struct error error;                  /* LANE_FAILED: why; complete before the state says so */
};

/* Times of one node; 0: not yet. Written by its executor. */
struct segment_times {
    uint64_t start_ns, end_ns; /* clock_now_ns */
    uint64_t device_ns;        /* first task start to last task end; 0 for host copies */
    uint64_t orch_ns;          /* the orchestration function; 0 for host copies */
    uint64_t profile_ns;       /* writing its profiles, after the end; others do not wait for it */
    uint32_t ntasks;
    uint32_t turns_lost; /* device_result.turns_lost */
};

struct segment_header {
    uint64_t magic;
    uint64_t nbytes; /* of the whole segment */
    uint32_t nlane, nnode, nstorage;
    uint32_t log_level;
    char platform[32];
    struct dfx dfx;    /* what this run captures */
    bool free_threads; /* device_config.free_threads of all cards */
    uint32_t hashing;  /* 1: executors fill `hashes`, which nobody touches otherwise */
    uint64_t nhash;    /* arguments of all nodes */
    uint64_t words_at, lanes_at, times_at, hashes_at, storages_at, plan_at, plan_nbytes, sheet_at, sheet_nbytes;
    _Alignas(64) _Atomic uint32_t starting; /* executors that are not ready yet, set by the leader */
    futex_word go; /* completed by the last executor that got ready: until then no kernel runs */
};

struct segment {
    int fd;
    size_t mapped;                 /* bytes */
    struct segment_header *header; /* start of the mapping */
    futex_word *words;             /* nnode */
    struct segment_lane *lanes;    /* nlane */
    struct segment_times *times;   /* nnode */
    uint64_t *hashes;              /* nhash, as plan.args: of the tensor, when its node had written it; else 0 */
    const uint64_t *storages;      /* nstorage offsets of their bytes */
    const char *sheet;
    struct plan plan; /* points into the segment */
};

/* Create from a plan whose edges are compiled; `sheet` is NUL-terminated (common/plan/sheet.h). Fails with a
 * clear error when the node has not the memory. */
int segment_create(struct segment *seg, const struct plan *plan, const char *sheet, const char *platform,
                   struct error *err);

/* Put a segment that was run back to what segment_create() made: words, lanes, times, hashes, `starting` and `go` as
 * at the start, all storages and the gaps between them zeros. `dfx` and `hashing` stay. No executor may live, in any process of the node. */
int segment_rewind(struct segment *seg, struct error *err);

/* Map an existing one. Takes over `fd` (closed on failure too). */
int segment_map(struct segment *seg, int fd, struct error *err);

/* Open the segment that process `pid` of this node has as descriptor `fd`. */
int segment_open_peer(struct segment *seg, pid_t pid, int fd, struct error *err);

/* Close the descriptor and keep the mapping: what runs foreign code must not leave it a file to write to. */
void segment_close_fd(struct segment *seg);

void segment_unmap(struct segment *seg); /* a zeroed struct is fine */

/* Bytes of a storage, as mapped here. */
static inline void *segment_storage(const struct segment *seg, uint32_t storage)
{
    return (char *)seg->header + seg->storages[storage];
}

/* Bytes of `domain`'s window on its member number `rank` (dense). */
static inline void *segment_window(const struct segment *seg, uint32_t domain, uint32_t rank)
{
    return segment_storage(seg, seg->plan.domains[domain].first_storage + rank);
}

const char *lane_state_name(enum lane_state state);

#endif
