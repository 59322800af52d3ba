/* json_out - JSON text written piece by piece, for documents that are too large for a tree. */
#ifndef L3R_COMMON_BASE_JSON_OUT_H
#define L3R_COMMON_BASE_JSON_OUT_H

#include <stdint.h>
#include <stdio.h>

/* `text` as a quoted JSON string of valid UTF-8; NULL becomes null. */
void json_out_text(FILE *f, const char *text);

/* Nanoseconds as a number of microseconds with all digits: 1500 is 1.500. */
void json_out_us(FILE *f, uint64_t ns);

#endif
