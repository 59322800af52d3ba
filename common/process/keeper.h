/*
 * keeper - the process between this one and a command whose descendants must not outlive it.
 *
 * It is a child subreaper, in a process group of its own and apart from the command's, so that no `kill 0` reaches it.
 * It ends everything that the command left behind when the command has ended, and everything when it gets SIGTERM:
 * from process_kill(), or from the kernel when the process that started it dies.
 */
#ifndef L3R_COMMON_PROCESS_KEEPER_H
#define L3R_COMMON_PROCESS_KEEPER_H

#include "common/process/child_setup.h"

/* Runs in the child of a fork, with all signals blocked. Reports through c->report: CHILD_STARTED with the command's process
 * id or CHILD_FAILED, then CHILD_ENDED. */
_Noreturn void keeper_run(struct child_setup *c);

#endif
