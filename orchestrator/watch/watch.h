/*
 * watch - a build replayed each time that something which decides a replay was edited.
 *
 *   IDLE ──event──▶ SETTLING ──quiet──▶ REPLAYING ──ended──▶ IDLE, or SETTLING when something happened meanwhile
 *
 * An edit is several events (a rename, a truncation and a write): a replay starts when none has come for 20 ms. One that found
 * nothing changed and was not asked for prints nothing; as long as such ones follow each other, the wait doubles, so that a build
 * which writes into itself does not keep a core busy. Each replay is a process of its own, so that a kernel, a compiler or
 * the user's Python takes nothing along.
 */
#ifndef L3R_ORCHESTRATOR_WATCH_WATCH_H
#define L3R_ORCHESTRATOR_WATCH_WATCH_H

#include <stdbool.h>

#include "common/base/args.h"

struct watch_options {
    const char *program;        /* path of l3replay */
    const char *build;          /* as typed */
    const struct args *options; /* of `run` */
    bool json;
};

/* Replay and watch until q, end by a signal, or wrong usage of `run` at the first replay. Returns the exit code: 0, or that of
 * the wrong usage. -1 with `err`: the build cannot be watched. */
int watch_run(const struct watch_options *options, struct error *err);

#endif
