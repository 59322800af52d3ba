/*
 * child_runs - the same thing many times, in several processes at a time.
 *
 * Each child has a limit for each of its runs, after which SIGALRM ends it; what it had not done then counts as not
 * ended. A child writes what it finds into memory that it shares with the test, and makes no assertions.
 */
#ifndef L3R_TESTS_SUPPORT_CHILD_RUNS_H
#define L3R_TESTS_SUPPORT_CHILD_RUNS_H

#include <stdbool.h>

enum { CHILD_MAX = 16, CHILD_RUNS_MAX = 512, CHILD_RUN_SECONDS = 20, CHILD_TEXT = 200 };

enum run_state { RUN_NOT_ENDED, RUN_RIGHT, RUN_WRONG, RUN_FAILED };

/* One run: `child` of how many, its `run` from 0. Called in the child. */
typedef enum run_state (*child_run)(void *context, int child, int run, char text[CHILD_TEXT]);

struct child_runs {
    int right, wrong, failed, not_ended;
    char text[CHILD_TEXT]; /* of the first run that was not right, with its child */
};

/* `nchild` processes at a time, `nrun` runs each; no thread may be running. False: processes cannot be had, or one ended
 * with a code of its own, as a sanitizer makes it. */
bool child_runs(int nchild, int nrun, child_run run, void *context, struct child_runs *runs);

#endif
