/*
 * inline_names - sources that differ only in the numbers of the compiler's inlined names.
 *
 * The PyPTO compiler draws the numbers in names as x_inline591__ssa_v0 anew at each compile, so a source that is the same
 * otherwise has another text. Where the names are of locals only, they do not decide what a source means, and the
 * store's key is made of the text with the numbers replaced by 1, 2, 3, ... in the order in which they first occur.
 */
#ifndef L3R_RANK_WORKER_COMPILE_INLINE_NAMES_H
#define L3R_RANK_WORKER_COMPILE_INLINE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `text` has such a name anywhere, as a header has that declares one. */
bool inline_names_occur(const char *text);

/* `text` (NUL-terminated) with canonical numbers, malloc'd. NULL when they may decide what the source means: a name is used
 * outside of a function's body, in a literal or in a preprocessor line, or the text has none, or has what this reader does
 * not read (raw strings, braces that do not match); and without memory. The text itself is the key then. */
char *inline_names_canonical(const char *text);

#endif
