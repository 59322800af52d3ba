/*
 * domain_pace - keeps the cards of a comm domain in step (--pace domain).
 *
 * Nothing in the plan says that a kernel reads another card's window, so nothing keeps a card from writing its window for
 * the next round before the others have read this one. On hardware cards take about equally long; executors that share
 * cores do not. So the i-th dispatch of a domain on a card waits until every other member has completed its dispatch
 * i - 1 in that domain. Programs need not be symmetric: when no node of the job has ended for 20 ms, the dispatch starts.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_DOMAIN_PACE_H
#define L3R_RANK_WORKER_EXECUTOR_DOMAIN_PACE_H

#include <stdbool.h>

#include "common/segment/segment.h"

struct pace;

/* For lane `lane`, which must be a card's; `*out` is NULL when it has nothing to wait for. */
int pace_open(struct pace **out, const struct segment *seg, uint32_t lane, struct error *err);
void pace_close(struct pace *pace); /* NULL is fine */

/* A node that the lane's `index`-th node has to wait for; PLAN_NONE: it may start. */
uint32_t pace_next(struct pace *pace, uint32_t index);

/* Wait for `node`, which pace_next() returned. Returns false when nothing went on for 20 ms, which the lane's status
 * counts: the dispatch then waits for nobody, and after 8 in succession nor do later ones of the lane. */
bool pace_wait(struct pace *pace, uint32_t node);

#endif
