/*
 * python - which interpreter runs the user's Python files.
 */
#ifndef L3R_COMMON_PYTHON_H
#define L3R_COMMON_PYTHON_H

#include <stddef.h>

/* Write the path of the python3 to use to `buf`: the first on PATH that is a program. A script of that name (the
 * shim of a version manager) costs more time than a whole recording, so it is taken only when nothing else
 * follows it on PATH. Writes "python3" when there is none, so that starting it names what is missing. */
void python_find(char *buf, size_t size);

#endif
