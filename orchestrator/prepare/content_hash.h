/* content_hash - the content of a file or of memory as a text that can be compared: XXH3, 128 bits. */
#ifndef L3R_ORCHESTRATOR_PREPARE_CONTENT_HASH_H
#define L3R_ORCHESTRATOR_PREPARE_CONTENT_HASH_H

#include <stddef.h>

#include "common/base/error.h"

enum { CONTENT_HASH_SIZE = 33 }; /* 32 hexadecimal digits and a NUL */

void content_hash(const void *data, size_t size, char text[CONTENT_HASH_SIZE]);

/* Of a regular file, read piece by piece. */
int content_hash_file(const char *path, char text[CONTENT_HASH_SIZE], struct error *err);

#endif
