/*
 * descendants - processes that were started by what this process started, and left behind.
 *
 * A child subreaper is given the descendants whose own parents have ended, also those in sessions of their own
 * (daemons), so that it can find and kill them.
 */
#ifndef L3R_COMMON_PROCESS_DESCENDANTS_H
#define L3R_COMMON_PROCESS_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/* Make this process a child subreaper. Call it before anything is started. */
void process_adopt(void);

/* Children that this process has now and did not start with process_start() are somebody else's (a daemon of MPI):
 * they are left alone from here on. */
void process_spare_children(void);

/* Kill every child, and what comes to this process by that, until there is none or `limit_ms` have passed. Returns how many
 * are left. Safe in a signal handler. */
unsigned process_end_all(int limit_ms);

/* For the library: */

/* Whether process_adopt() was called. */
bool descendants_are_adopted(void);

/* Wait for those that have ended and are not `known`, without blocking. */
void descendants_collect(bool (*known)(pid_t pid));

#endif
