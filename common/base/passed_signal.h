/*
 * passed_signal - which signal the front got.
 *
 * mpirun ends its processes with SIGTERM, whichever signal it got itself. So the front writes the one that it passes on
 * to a file of its own, and the processes of the job name that one.
 */
#ifndef L3R_COMMON_BASE_PASSED_SIGNAL_H
#define L3R_COMMON_BASE_PASSED_SIGNAL_H

#include "common/base/error.h"

/* The front, before it starts mpirun: the file will be in the directory `dir`, and the environment names it. */
int passed_signal_offer(const char *dir, struct error *err);

/* The front, before it passes `sig` on. Without a file nothing happens. */
void passed_signal_set(int sig);

/* A process of the job that got `sig`: the signal that the front got, else `sig`. */
int passed_signal_get(int sig);

#endif
