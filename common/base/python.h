/*
 * python - which interpreter runs the user's Python files.
 */
#ifndef L3R_COMMON_BASE_PYTHON_H
#define L3R_COMMON_BASE_PYTHON_H

#include <limits.h>

#include "common/base/error.h"

/* Path of the python3 to use, to be freed: the first on PATH that is a program. A script of that name (the shim of a
 * version manager) costs more time than a whole recording, so it is taken only when nothing else follows it on
 * PATH. "python3" when there is none, so that starting it names what is missing. -1 only when out of memory. */
int python_find(char **path, struct error *err);

enum { PYTHON_USER_MAX = 2 };

/* The interpreters for the user's own code (sub-workers, golden.py, comparators), in the order in which they are tried: a
 * later one only where an earlier one lacks a module. Alone $L3REPLAY_SUBWORKER_PYTHON (which --python sets), or else
 * $L3REPLAY_PYTHON; else that of $VIRTUAL_ENV, or python3 of PATH, and then /usr/bin/python3 where it is there. Returns
 * how many there are. */
unsigned python_for_user(char paths[PYTHON_USER_MAX][PATH_MAX]);

/* How many seconds a Python may be silent while it records, or loads sub-workers: $L3REPLAY_RECORD_TIMEOUT, else 60. -1 when
 * that is no positive number. */
int python_limit(double *seconds, struct error *err);

#endif
