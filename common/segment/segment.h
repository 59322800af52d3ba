/*
 * segment - the memory that all executors and processes of one node share.
 *
 * It has three parts, each a memfd, because kernels write where they should not:
 *
 *   data     the bytes of every storage: tensors and windows are used where they lie. Pages that nobody may touch lie
 *            between them in an executor.
 *   plan     the header, the plan and the sheet (which objects a program is made of). Written by its creator alone;
 *            nobody else can map it for writing.
 *   control  what executors write: a completion word for each node, hashes of what nodes wrote, and for each lane a
 *            block of pages of its own: status, times of its nodes. An executor can write the common pages and its own
 *            lane's block, and only read the other lanes'. Whatever is in this part is input: see control_check.h.
 *
 * A memfd never has a name, so nothing is left behind whichever process is killed. The parts are mapped at any address,
 * so they hold offsets only; all offsets and counts are in the plan part.
 *
 * Life: created (by the node's leader, from a compiled plan) -> loaded
 * (parameters and fills written over storages of zeros) -> run -> read, or
 * rewound (segment_rewind: as created again) -> loaded -> run -> ...
 * The other processes map the leader's descriptors once, executors inherit the
 * descriptors and live for one run. The plan, the sheet and the layout never
 * change; `dfx`, `device`, `free_threads`, `paced`, `skip_first`, `skip_end` and `hashing` in the header and `starting` are
 * set by the leader
 * before each run. Only the leader creates, loads and rewinds, while no executor lives.
 */
#ifndef L3R_COMMON_SEGMENT_SEGMENT_H
#define L3R_COMMON_SEGMENT_SEGMENT_H

#include <sys/types.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/segment/segment_format.h"

struct segment_memory {
    int fd;     /* <= 0: closed */
    char *base; /* NULL: not mapped */
    size_t nbytes;
};

struct segment {
    struct segment_memory parts[SEGMENT_PARTS];
    struct segment_header *header; /* others than the creator cannot write it */
    struct segment_common *common;
    futex_word *words;        /* nnode */
    uint64_t *hashes;         /* nhash, as plan.args: of the tensor, when its node had written it; else 0 */
    const uint64_t *lanes;    /* nlane + 1 offsets: lane_status() */
    const uint32_t *slots;    /* nnode: segment_node_times() */
    const uint64_t *storages; /* nstorage offsets of their bytes */
    const char *sheet;
    struct plan plan;            /* points into the segment */
    struct segment_times *times; /* the creator's own memory, nnode: zeros until job_clocks_settle() */
};

/* Create from a plan whose edges are compiled; `sheet` is NUL-terminated (common/plan/sheet.h). Fails with a
 * clear error when the node has not the memory. */
int segment_create(struct segment *seg, const struct plan *plan, const char *sheet, const char *platform,
                   struct error *err);

/* Put a segment that was run back to what segment_create() made: the control part as at the start, all of the data part
 * zeros. The header stays. No executor may live, in any process of the node. */
int segment_rewind(struct segment *seg, struct error *err);

/* Map an existing one, as the executor of `lane`. Takes over the descriptors `first_fd` and the following, one a part
 * (closed on failure too). */
int segment_map(struct segment *seg, int first_fd, uint32_t lane, struct error *err);

/* Open the segment of process `pid` of this node, which has the plan part as descriptor `plan_fd`. The control part can
 * be read only. */
int segment_open_peer(struct segment *seg, pid_t pid, int plan_fd, struct error *err);

/* Close a part's descriptor and keep its mapping: what runs foreign code must not leave it a file to write to. */
void segment_close_fd(struct segment *seg, enum segment_part part);

void segment_unmap(struct segment *seg); /* a zeroed struct is fine */

/* Bytes of a storage, as mapped here. */
static inline void *segment_storage(const struct segment *seg, uint32_t storage)
{
    return seg->parts[SEGMENT_DATA].base + seg->storages[storage];
}

/* Bytes of `domain`'s window on its member number `rank` (dense). */
static inline void *segment_window(const struct segment *seg, uint32_t domain, uint32_t rank)
{
    return segment_storage(seg, seg->plan.domains[domain].first_storage + rank);
}

/* What lies `offset` bytes into a part that is mapped. */
static inline void *segment_at(const struct segment *seg, enum segment_part part, uint64_t offset)
{
    return seg->parts[part].base + offset;
}

static inline struct segment_lane *lane_status(const struct segment *seg, uint32_t lane)
{
    return segment_at(seg, SEGMENT_CONTROL, seg->lanes[lane]);
}

/* The last 8 bytes of the common pages (`lane` PLAN_NONE) or of a lane's block. */
static inline _Atomic uint64_t *segment_last_canary(const struct segment *seg, uint32_t lane)
{
    const uint64_t end = seg->lanes[lane == PLAN_NONE ? 0 : lane + 1];

    return segment_at(seg, SEGMENT_CONTROL, end - sizeof(uint64_t));
}

/* Where the executor writes the times of `node`. */
static inline struct segment_times *segment_node_times(const struct segment *seg, uint32_t node)
{
    void *behind = lane_status(seg, seg->plan.nodes[node].lane) + 1;
    struct segment_times *times = behind;

    return times + seg->slots[node];
}

const char *lane_state_name(enum lane_state state);

#endif
