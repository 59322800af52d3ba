/*
 * lanes_table - what every lane is in and what it waits for, for people.
 *
 * Printed when a run is stopped without a verdict of its own: a deadlock, a
 * time-out, an interrupt. It is the wait graph: each line names the node a
 * lane is at and, when it waits, the node and lane waited for.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_LANES_TABLE_H
#define L3R_ORCHESTRATOR_SUPERVISE_LANES_TABLE_H

#include "orchestrator/clocks/job_clocks.h"

/* Ask the cards that run a dispatch what is in it, and wait for their answers, `limit_ms` at most. */
void lanes_ask(const struct segment *seg, int limit_ms);

/* Log a line for every lane that has nodes and is not done; lanes in the same situation beyond `most` are counted. Below
 * that of a card, after lanes_ask(), there are lines with what it is in.
 * `clocks` (NULL: there is one) says how long ago a lane's times are. */
void lanes_table_print(const struct segment *seg, const struct job_clocks *clocks, unsigned most);

/* Nodes completed over all lanes. */
uint64_t lanes_progress(const struct segment *seg);

/* The lane that has been running one kernel for the longest; PLAN_NONE when none is running. */
uint32_t lanes_longest_running(const struct segment *seg, const struct job_clocks *clocks);

/* A lane that is writing profiles; PLAN_NONE: there is none. */
uint32_t lanes_saving(const struct segment *seg);

#endif
