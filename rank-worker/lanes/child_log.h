/*
 * child_log - what one executor prints, relayed line by line to stderr.
 *
 * Kernels print in pieces and from many processes; whole lines with the card
 * in front stay readable. The last few are kept for the report of a crash.
 */
#ifndef L3R_RANK_WORKER_LANES_CHILD_LOG_H
#define L3R_RANK_WORKER_LANES_CHILD_LOG_H

#include <stdint.h>

enum { CHILD_LOG_LINE = 512, CHILD_LOG_KEPT = 8 };

struct child_log {
    int fd; /* -1: closed */
    char prefix[24];
    uint32_t used;             /* bytes of the unfinished line */
    char line[CHILD_LOG_LINE]; /* longer lines are cut into several */
    uint32_t nlines;           /* ever seen */
    char kept[CHILD_LOG_KEPT][CHILD_LOG_LINE];
};

/* Takes over `fd` (made non-blocking). Lines begin with plan_lane_name(). */
void child_log_open(struct child_log *log, int fd, uint32_t lane, uint32_t world_size);

/* Relay what can be read now, 1 MB at most; at end of file the rest of a line goes out too. */
void child_log_read(struct child_log *log);

/* Print the kept lines again, indented, under a heading; nothing when there are none. */
void child_log_show_last(const struct child_log *log);

void child_log_close(struct child_log *log);

#endif
