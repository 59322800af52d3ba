/*
 * run_record - l3_run.json: when every node of the plan ran, on process 0's clock, and what each could wait for.
 *
 * Format: docs/formats.md, "l3_run.json". It is what relates the dispatches of different ranks: the profiles of a
 * dispatch know their own card's counter only.
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_RUN_RECORD_H
#define L3R_ORCHESTRATOR_PROFILES_RUN_RECORD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/segment/segment.h"
#include "orchestrator/profiles/run_captured.h"
#include "orchestrator/profiles/run_clocks.h"
#include "orchestrator/profiles/run_extra.h"

struct run_edge {
    uint32_t pred;       /* node, an earlier one */
    uint32_t why;        /* set of enum plan_why */
    const char *storage; /* where the two meet; may be NULL */
};

struct run_node {
    uint8_t kind; /* enum plan_node_kind */
    bool ran;
    uint32_t lane, k, line, ntask; /* k: DFX_OTHER + i of the card's i-th dispatch
                                    * that has none (dfx_read.h); PLAN_NONE of other nodes */
    const char *name;              /* program, sub-worker, or "copy" */
    uint64_t start_ns, end_ns;     /* after origin_ns */
    uint64_t profile_ns;           /* from then on its lane was taken by writing its profiles; 0: it was not */
    uint64_t device_ns, orch_ns;
    size_t first_edge, nedge;
};

struct run_record {
    uint32_t world_size;
    uint32_t nlane;     /* cards, the host lane, lanes of sub-workers */
    uint32_t ncore;     /* that the job had; 0: not known */
    uint64_t origin_ns; /* CLOCK_MONOTONIC of process 0 at the start of the first node */
    int *device_ids;    /* world_size */
    struct run_node *nodes;
    size_t nnode;
    uint32_t *by_slot; /* nodes that are dispatches that ran, by lane, then k */
    size_t nslot;
    struct run_edge *edges;
    size_t nedge;
    struct run_clocks clocks;
    struct run_extra extra;
    struct run_captured captured;
    cJSON *doc; /* owns the texts of a record that was read */
};

/* What a record is written from. All borrowed. */
struct run_record_source {
    const struct segment *seg; /* of a run that has ended, its times on one clock */
    const int *device_ids;     /* by card */
    uint32_t ncore;            /* that the job has */
    const struct run_clocks *clocks;
    const struct run_extra *extra;
    const struct dfx *captured; /* by all passes together */
};

/* Write the record of a run. Nodes that did not run are in it, and say so. */
int run_record_write(const char *path, const struct run_record_source *from, struct error *err);

/* Start of the first node that ran, which all times of a record count from; 0: none did. In ns, CLOCK_MONOTONIC. */
uint64_t run_record_origin(const struct segment *seg);

/* Read `dir`/l3_run.json: 1 when read, 0 when it is not there or unusable (then a note says so), -1 out of memory. */
int run_record_read_dir(const char *dir, struct run_record *r, struct notes *notes, struct error *err);

/* Read and check one; to be freed with run_record_free() after success. */
int run_record_read(const char *path, struct run_record *r, struct error *err);
void run_record_free(struct run_record *r); /* a zeroed struct is fine */

/* The node that is dispatch `k` of card `rank`; PLAN_NONE: none that ran. */
uint32_t run_record_find(const struct run_record *r, uint32_t rank, uint32_t k);

/* More cards than cores: wall times have time in them in which a card had no core. */
bool run_record_oversubscribed(const struct run_record *r);

/* "card 2", "host lane", "sub-workers". */
const char *run_record_lane(const struct run_record *r, uint32_t lane, char *buf, size_t size);

/* "RAW", "WAR+WAW", ... */
const char *run_record_why(uint32_t why, char *buf, size_t size);

#endif
