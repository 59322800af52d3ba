/*
 * build_options - the directory that a command works on, and --log-level: what all commands take.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_BUILD_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_BUILD_OPTIONS_H

#include <argp.h>

/* Use as a child parser whose input is a const char ** that is NULL still: it becomes the one argument that must be
 * given, borrowed from argv. A level is set at once, for the whole process. */
extern const struct argp build_argp;         /* a build directory, BUILD in texts */
extern const struct argp build_or_none_argp; /* the same, for a caller that checks itself whether one is needed */
extern const struct argp profiles_argp;      /* a directory of profiles, DIR in texts */

#endif
