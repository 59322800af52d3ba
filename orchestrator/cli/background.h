/*
 * background - what is left to do when a command has its result, and nobody should wait for.
 */
#ifndef L3R_ORCHESTRATOR_CLI_BACKGROUND_H
#define L3R_ORCHESTRATOR_CLI_BACKGROUND_H

/* When replays did without precompiled headers, start `l3replay cache --make-headers` in a session of its own, with the
 * lowest priority and without our descriptors. It outlives this process and ends by itself: each compile has its limit, and one
 * header is made at a time. L3REPLAY_BACKGROUND=0 leaves it. To be called last: what this process starts later is not
 * told apart from it. What goes wrong has no effect but that the next edit takes longer. */
void background_make_headers(void);

#endif
