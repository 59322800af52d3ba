/* line_name - names of files in formats of lines: a blank, a control character and '%' are written as %XX. */
#ifndef L3R_COMMON_BASE_LINE_NAME_H
#define L3R_COMMON_BASE_LINE_NAME_H

#include <stdio.h>

/* Write `name`; errors stay in the stream. */
void line_name_put(FILE *f, const char *name);

/* Undo it in place; a % that is followed by no two hexadecimal digits stays. Returns `text`. */
char *line_name_take(char *text);

#endif
