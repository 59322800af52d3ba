/*
 * executor_end - what an executor says by its exit status, for its parent.
 *
 * 0: its lane was walked to its end, or its failure is stored in the segment. 2, 3: it could not begin.
 */
#ifndef L3R_COMMON_SEGMENT_EXECUTOR_END_H
#define L3R_COMMON_SEGMENT_EXECUTOR_END_H

enum {
    /* The lane was walked to its end, but something that foreign code left behind (a thread of Python, a child process
     * that it waits for, an exit handler, a destructor) kept the process from ending, and was cut short. */
    EXECUTOR_WAS_HELD = 4,
    /* How long what is left behind may take. */
    EXECUTOR_END_LIMIT_MS = 2000,
};

#endif
