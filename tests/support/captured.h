/*
 * captured - what this process writes to stderr, as text.
 *
 * One capture at a time. What goes wrong here fails the test.
 */
#ifndef L3R_TESTS_SUPPORT_CAPTURED_H
#define L3R_TESTS_SUPPORT_CAPTURED_H

/* From now on what is written to stderr is kept, and not shown. */
void captured_begin(void);

/* End it: all that was written since captured_begin(), to be freed. */
char *captured_end(void);

#endif
