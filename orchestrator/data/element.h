/*
 * element - one element of an array as a person reads it: its value, and where it is.
 */
#ifndef L3R_ORCHESTRATOR_DATA_ELEMENT_H
#define L3R_ORCHESTRATOR_DATA_ELEMENT_H

#include "common/plan/plan.h"

enum { ELEMENT_VALUE_SIZE = 48, ELEMENT_INDEX_SIZE = 400, ELEMENT_BITS_SIZE = 20 };

/* The value; 64-bit integers with all digits, others with nine. Returns `buf`. */
const char *element_value(enum dtype type, const void *element, char *buf, size_t size);

/* "0x3f800000": its bytes as one number. Returns `buf`. */
const char *element_bits(enum dtype type, const void *element, char *buf, size_t size);

/* "(1, 2)": position of element number `flat` (row-major) in the shape of `storage`. Returns `buf`. */
const char *element_index(const struct plan *plan, uint32_t storage, uint64_t flat, char *buf, size_t size);

#endif
