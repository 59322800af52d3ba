/*
 * stop_signals - the signals that ask a run to end: Ctrl-C and its like.
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_STOP_SIGNALS_H
#define L3R_ORCHESTRATOR_MESSAGES_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP. */
void stop_signals(sigset_t *set);

/* Does one wait that is blocked, since it is to be read? For waits that look at nothing else. */
bool stop_signal_is_pending(void);

#endif
