/* clean_name - names that come out of files, safe to print: they must not steer a terminal or turn a line around. */
#ifndef L3R_COMMON_BASE_CLEAN_NAME_H
#define L3R_COMMON_BASE_CLEAN_NAME_H

/* Each control character (below 0x20, 0x7f) and each bidirectional override (U+202A to U+202E, U+2066 to U+2069, in
 * UTF-8) of `name` becomes one '?', in place. Returns `name`; NULL is fine. */
char *clean_name(char *name);

#endif
