/*
 * profile_rig - captured runs of the programs of graph.cpp, and their files.
 */
#ifndef L3R_TESTS_SUPPORT_PROFILE_RIG_H
#define L3R_TESTS_SUPPORT_PROFILE_RIG_H

#include "tests/support/cpu_rig.h"

#include <cjson/cJSON.h>

extern char *profile_dir; /* of the run under test */

/* Run a program with these switches; the files are in profile_dir until profile_done(). */
void profile_run(enum program_name which, struct device_switches switches);
void profile_done(void);

/* A file of the run, to be freed; NULL when it is not there. */
char *profile_text(const char *name, size_t *size);

/* A JSON file of the run, to be deleted. */
cJSON *profile_json(const char *name);

/* Members of an object, and a number in an array; what is not there, or of another type, fails the test. */
const cJSON *profile_item(const cJSON *object, const char *key);

double profile_number(const cJSON *object, const char *key);

const char *profile_text_of(const cJSON *object, const char *key);

double profile_column(const cJSON *row, int i);

#endif
