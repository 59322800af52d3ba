/*
 * failing_alloc - allocations that fail on request.
 *
 * A program that links with this module calls stand-ins for malloc() and the functions of the C library that allocate for
 * their caller (the linker's --wrap); cJSON is set to allocate with them too. Other libraries are left alone.
 */
#ifndef L3R_TESTS_SUPPORT_FAILING_ALLOC_H
#define L3R_TESTS_SUPPORT_FAILING_ALLOC_H

/* Count the calls from now on, and fail the one with number `n`, from 1, as if memory had run out (0: none). */
void failing_alloc_start(unsigned long n);

/* All calls succeed again; how many there were, the one that failed included. */
unsigned long failing_alloc_stop(void);

/* Name of the function that failed since the last start; NULL: none. */
const char *failing_alloc_name(void);

#endif
