/*
 * other_build - the second build of `l3replay ab`, which runs beside the first one in the same executors.
 *
 * It is recorded and compiled as the first one is, with the same options. It has no inputs, references and outputs of its
 * own: its parameters get the bytes of the first one's, and its outputs are compared with them.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_OTHER_BUILD_H
#define L3R_ORCHESTRATOR_PREPARE_OTHER_BUILD_H

#include "common/plan/sheet.h"
#include "common/segment/segment.h"
#include "orchestrator/bench/plan_join.h"
#include "orchestrator/prepare/prepare_job.h"
#include "orchestrator/prepare/recording.h"
#include "rank-worker/compile/compile.h"

struct other_build {
    struct run_options options; /* those of the first, with the directory of the second; owns no list */
    struct recording recording;
    struct compile_session *session;
    struct compiled compiled;
    uint32_t nprogram; /* of the first build, which come first in the joined plan and in the sheet */
    uint32_t ntwin;
    struct plan_twin *twins;
};

/* Record `options->bench.other_build`, and put its plan behind `plan`, the first one's, whose edges are compiled. `*out` is set
 * as soon as there is something to free with other_build_free(). */
int other_build_open(struct other_build **out, const struct run_options *options, const struct build *first,
                     struct plan *plan, struct rounds_part parts[ROUNDS_PARTS], struct error *err);
void other_build_free(struct other_build *b); /* NULL is fine */

/* Bring its binaries up to date, and append its programs to the sheet. */
int other_build_compile(struct other_build *b, const struct prepare_job *job, struct error *err);
int other_build_write_sheet(const struct other_build *b, struct sheet_writer *w, struct error *err);

/* The first build's parameters are loaded: copy them. */
void other_build_load(const struct other_build *b, const struct segment *seg);

/* After the rounds: do the outputs agree within `tolerance`? `*same`: they are the same bits. -1 with a FAIL that names the first
 * output that differs, and by how much. */
int other_build_compare(const struct other_build *b, const struct segment *seg, struct tolerance tolerance, bool *same,
                        struct error *err);

#endif
