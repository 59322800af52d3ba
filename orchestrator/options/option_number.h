/*
 * option_number - whole and real numbers of the command line: seconds, processes, tolerances.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_OPTION_NUMBER_H
#define L3R_ORCHESTRATOR_OPTIONS_OPTION_NUMBER_H

#include <argp.h>

enum { OPTION_SECONDS_MAX = 1000000, OPTION_JOBS_MAX = 4096 };

/* The number in `text`, from `least` (0 or more) to `most`; anything else is a usage error that names `option`. */
int option_number(struct argp_state *state, const char *option, const char *text, int least, int most);

/* The finite number in `text`, of at least `least`; anything else is a usage error that names --`option`. */
double option_real(struct argp_state *state, const char *option, const char *text, double least);

#endif
