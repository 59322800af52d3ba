/*
 * sub_lanes - which call of a sub-worker runs in which lane of sub-workers.
 */
#ifndef L3R_COMMON_PLAN_SUB_LANES_H
#define L3R_COMMON_PLAN_SUB_LANES_H

#include "common/plan/plan.h"

/* Deal the calls of `p`, which has no edges yet, over `lanes` lanes; more than there are calls, or than PLAN_SUB_LANES, are
 * not made, and one always is. Call c of sub-worker i of n gets lane (i + c * n) mod lanes: with as many lanes as sub-workers
 * each of them has one, in which its calls run one after the other; with more its calls are shared out. */
int plan_deal_subs(struct plan *p, uint32_t lanes, struct error *err);

#endif
