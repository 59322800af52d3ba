/*
 * crash - the last words of an executor whose kernel crashed.
 *
 * Prints signal, address and the kernel or shared object that holds the faulting
 * instruction to stderr (the parent keeps the last lines), then dies of the
 * signal as if nothing had been installed.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_CRASH_H
#define L3R_RANK_WORKER_EXECUTOR_CRASH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/plan/sheet.h"

/* Have `function` called first when the process crashes; NULL: nothing. It must be safe in a signal handler. */
void crash_call_first(void (*function)(void));

/* `running` is device_ops.running of the card's device, or NULL. A kernel that calls exit() is named as well. */
int crash_install(bool (*running)(char *buf, size_t size), struct error *err);

/* Where names come from: the kernel or orchestration whose object holds the instruction is named after the sheet,
 * which must stay until the next call. NULL: paths only. */
void crash_name_kernels(const struct sheet *sheet);

#endif
