/*
 * option_number - whole numbers of the command line, of seconds and of processes.
 */
#ifndef L3R_ORCHESTRATOR_CLI_OPTION_NUMBER_H
#define L3R_ORCHESTRATOR_CLI_OPTION_NUMBER_H

#include <argp.h>

enum { OPTION_SECONDS_MAX = 1000000, OPTION_JOBS_MAX = 4096 };

/* The number in `text`, from 1 to `max`; anything else is a usage error that names `option`. */
int option_number(struct argp_state *state, const char *option, const char *text, int max);

#endif
