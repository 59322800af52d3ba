/*
 * crash - the last words of an executor whose kernel crashed.
 *
 * Prints signal, address and the shared object that holds the faulting
 * instruction to stderr (the parent keeps the last lines), then dies of the
 * signal as if nothing had been installed.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_CRASH_H
#define L3R_RANK_WORKER_EXECUTOR_CRASH_H

#include "common/error.h"

int crash_install(struct error *err);

#endif
