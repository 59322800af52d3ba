/*
 * file_hash - the checksum of a file's content that is made piece by piece: XXH3, 64 bits.
 *
 * On x86 the vector instructions of the processor at hand are used, which the plain functions of the library do not.
 */
#ifndef L3R_COMMON_BASE_FILE_HASH_H
#define L3R_COMMON_BASE_FILE_HASH_H

#include <xxhash.h>
#ifdef __x86_64__
#include <xxh_x86dispatch.h>
#endif

#endif
