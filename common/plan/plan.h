/*
 * plan - everything a replay does, as data.
 *
 * A plan is the recording of host_orch.py for one world size: storages
 * (blocks of bytes), views into them, comm domains, and nodes in submit order.
 * It is the one contract between the side that makes it (orchestrator/) and
 * the side that runs it (rank-worker/). It holds indices, never pointers, so
 * that the arrays can be sent and mapped as they are. On disk and between
 * processes of different programs it is a stream of JSON lines: see
 * docs/formats.md, "Plan stream", and common/plan/plan_stream.h.
 *
 * Concepts
 *   storage   `nbytes` bytes with one owner: a parameter, an intermediate, or
 *             one card's window of a domain. Views of different storages never
 *             overlap.
 *   view      dtype, element offset into its storage, shape, element strides
 *             (>= 0; 0 only on host copies' sources, and on axes of one element).
 *             A dispatch takes views of at most 5 dimensions, none of them
 *             empty, sizes and strides from 1 to 2^32 - 1.
 *   node      one dispatch, host copy or sub-worker call. Node ids are submit
 *             order. A node belongs to one lane; a lane runs its nodes in order.
 *   edge      `node` may start only when `pred` is done (orchestrator/plan/edges.h).
 *
 * Lanes: 0..world_size-1 are the cards, world_size is the host lane (host
 * copies), world_size+1 and on those of sub-workers (nsublane, at least 1).
 */
#ifndef L3R_COMMON_PLAN_PLAN_H
#define L3R_COMMON_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"

#define PLAN_NONE UINT32_MAX
enum { PLAN_VERSION = 1, PLAN_MAX_DIMS = 16, PLAN_MAX_CARDS = 65536, PLAN_MAX_MEMBERS = 64 };

/* Lanes of sub-workers at most: each is a Python process. */
enum { PLAN_SUB_LANES = 64 };

/* What one dispatch takes; the same as the limits of rank-worker/device.h. */
enum { PLAN_DISPATCH_DIMS = 5, PLAN_DISPATCH_TENSORS = 256, PLAN_DISPATCH_SCALARS = 128 };

/* No storage, shape or offset reaches this many bytes, so that sums of two never overflow. */
#define PLAN_MAX_BYTES (UINT64_C(1) << 60)

enum plan_storage_kind { PLAN_PARAM = 0, PLAN_TEMP, PLAN_WINDOW };
enum plan_direction { PLAN_IN = 0, PLAN_OUT, PLAN_INOUT };

struct plan_storage {
    uint32_t name; /* offset into text; a parameter's name, an intermediate's key, "<domain>[<card>]" */
    uint8_t kind;  /* enum plan_storage_kind */
    uint8_t dtype; /* of the tensor that made it; windows: UINT8 */
    uint8_t ndim;
    uint8_t direction; /* parameters: enum plan_direction */
    uint64_t nbytes;
    uint64_t dims;         /* first of ndim entries in dims[]: the shape */
    uint32_t domain, card; /* windows; else PLAN_NONE */
    double fill;           /* initial value of every element of an intermediate (zeros: 0) */
};

struct plan_view {
    uint32_t storage;
    uint8_t dtype, ndim;
    uint64_t offset; /* elements of dtype from the storage's first byte */
    uint64_t dims;   /* first of 2 * ndim entries in dims[]: shape, then strides (elements) */
};

struct plan_domain {
    uint32_t name;
    uint32_t nworkers;
    uint32_t first_storage; /* windows of the members, consecutive, in `workers` order */
    uint32_t first_worker;  /* into cards[]: nworkers card numbers, dense rank order */
    uint64_t window_nbytes;
    uint32_t end_node;              /* nodes submitted when the with-block ended (first node after it) */
    uint32_t first_buffer, nbuffer; /* into buffers[] */
};

/* A named part of every window of a domain; for people and tools, nothing runs by it. */
struct plan_buffer {
    uint32_t name;
    uint64_t offset, nbytes; /* in the window */
};

enum plan_node_kind { PLAN_DISPATCH = 0, PLAN_COPY, PLAN_SUB };

struct plan_node {
    uint8_t kind;
    uint32_t lane;
    uint32_t program; /* dispatch: index into programs; sub-worker: index into subs */
    uint32_t group;   /* members of one submit_next_level_group share it and come one after the other;
                       * later groups have greater numbers; else PLAN_NONE */
    uint32_t line;    /* of host_orch.py; 0: unknown */
    uint32_t k;       /* _submit_chip's count of this card's dispatches from 0; else PLAN_NONE */
    uint32_t narg, nscalar, npred;
    uint64_t first_arg, first_scalar, first_pred;
};

/* The runtime's numbering; the same as enum tensor_tag of rank-worker/device.h. */
enum plan_tag {
    PLAN_TAG_INPUT = 0,
    PLAN_TAG_OUTPUT,
    PLAN_TAG_INOUT,
    PLAN_TAG_OUTPUT_EXISTING,
    PLAN_TAG_NO_DEP,
    PLAN_TAG_COUNT,
};

/* A tensor argument of a dispatch or sub-worker. A copy has two: args[0] destination
 * (OUTPUT_EXISTING), args[1] source (INPUT), of one shape. A fill is a copy with the
 * destination only, and one scalar (PLAN_VALUE): the bits of the number as a double. */
struct plan_arg {
    uint32_t view;
    uint32_t tag; /* enum plan_tag */
};

enum plan_scalar_kind {
    PLAN_VALUE = 0,  /* bits as they are */
    PLAN_DEVICE_CTX, /* bits + address of the context of (domain, card) */
    PLAN_WINDOW_BASE /* bits + address of the window of (domain, card) */
};

struct plan_scalar {
    uint64_t bits;
    uint32_t kind, domain, card;
};

/* Why an edge exists: a set of these. */
enum plan_why { PLAN_RAW = 1, PLAN_WAR = 2, PLAN_WAW = 4 };

struct plan_pred {
    uint32_t node;
    uint32_t why;     /* set of enum plan_why; what the overlap analysis found */
    uint32_t storage; /* one storage the two nodes meet in; one that is read after it was written, if there is any */
};

struct plan {
    uint32_t world_size;
    uint32_t nstorage, nview, ndomain, nbuffer, nprogram, nsub, nnode, ncard, nnote;
    uint32_t ngroup;   /* above all numbers of groups */
    uint32_t nsublane; /* lanes of sub-workers, 1 to PLAN_SUB_LANES */
    uint64_t narg, nscalar, npred, ndim, ntext;
    /* None of these is NULL, also when there is nothing in it. */
    struct plan_storage *storages;
    struct plan_view *views;
    struct plan_domain *domains;
    struct plan_buffer *buffers;
    uint32_t *notes;    /* offsets into text: notes of the recording, printed to the user */
    uint32_t *programs; /* offsets into text: names, in order of first use */
    uint32_t *subs;     /* the same for sub-workers */
    struct plan_node *nodes;
    uint32_t *cards;
    struct plan_arg *args;
    struct plan_scalar *scalars;
    struct plan_pred *preds; /* filled by edges_compile(); empty before */
    int64_t *dims;
    char *text;  /* NUL-terminated strings, each once */
    void *image; /* set when the arrays lie in one block (plan_unpack); else NULL */
};

/* True for a host copy that sets its destination to a number (see struct plan_arg). */
static inline bool plan_is_fill(const struct plan_node *node)
{
    return node->kind == PLAN_COPY && node->narg == 1;
}

static inline bool plan_tag_reads(uint32_t tag)
{
    return tag == PLAN_TAG_INPUT || tag == PLAN_TAG_INOUT;
}

static inline bool plan_tag_writes(uint32_t tag)
{
    return tag == PLAN_TAG_OUTPUT || tag == PLAN_TAG_INOUT || tag == PLAN_TAG_OUTPUT_EXISTING;
}

static inline const char *plan_text(const struct plan *p, uint32_t offset)
{
    return p->text + offset;
}

static inline uint32_t plan_host_lane(const struct plan *p)
{
    return p->world_size;
}

/* The first one; the others follow. */
static inline uint32_t plan_sub_lane(const struct plan *p)
{
    return p->world_size + 1;
}

static inline bool plan_is_sub_lane(const struct plan *p, uint32_t lane)
{
    return lane > p->world_size;
}

static inline uint32_t plan_lane_count(const struct plan *p)
{
    return p->world_size + 1 + p->nsublane;
}

/* Free everything and zero the struct. */
void plan_free(struct plan *p);

/* Flatten into one malloc'd block that plan_unpack() of the same build of the program reads
 * (not a file format). `*block` is the caller's to free. */
int plan_pack(const struct plan *p, void **block, size_t *nbytes, struct error *err);

/* Point `p`'s arrays into `block` after checking every count and index range. When `own`,
 * plan_free() frees the block. The block must be aligned to 64. */
int plan_unpack(struct plan *p, void *block, size_t nbytes, bool own, struct error *err);

/* Check every count, index and range of `p`, as plan_unpack() does; -1 names the first fault. */
int plan_check(const struct plan *p, struct error *err);

/* "dispatch 12 (chip_orch on card 1, host_orch.py:37)" for messages; buf is NUL-terminated. */
const char *plan_node_label(const struct plan *p, uint32_t node, char *buf, size_t size);

/* The same with the directory of its profiles, ", rank1/d0", which says the how manieth of its card a dispatch is. */
const char *plan_node_place(const struct plan *p, uint32_t node, char *buf, size_t size);

/* "card 3", "host lane", "sub-workers" or "sub-workers 2" (of their second lane), in `buf`. */
const char *plan_lane_name(uint32_t world_size, uint32_t lane, char *buf, size_t size);

/* Does the lane have a node to run? */
bool plan_lane_is_used(const struct plan *p, uint32_t lane);

#endif
