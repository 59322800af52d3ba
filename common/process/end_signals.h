/*
 * end_signals - the signals by which a user or a scheduler ends this process, read from a descriptor in a loop that waits for
 * other things too.
 */
#ifndef L3R_COMMON_PROCESS_END_SIGNALS_H
#define L3R_COMMON_PROCESS_END_SIGNALS_H

#include "common/base/error.h"

/* Block SIGINT, SIGTERM and SIGHUP, and return a signalfd for them that does not block; -1 with `err`. Call it before threads
 * are made. */
int end_signals_open(struct error *err);

/* The next one that was got; 0: none. */
int end_signals_read(int fd);

#endif
