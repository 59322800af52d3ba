/*
 * element_types - what torch and safetensors call the types of elements.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_ELEMENT_TYPES_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_ELEMENT_TYPES_H

#include "orchestrator/tensor_file/tensor.h"

struct element_type {
    const char *torch;       /* torch.<torch> */
    const char *storage;     /* torch.<storage>; NULL: torch saves it in an untyped storage */
    const char *safetensors; /* NULL: it has no such type */
    enum dtype dtype;        /* DTYPE_COUNT: one that no parameter has */
    uint32_t size;
};

/* Each by one of its names, `length` bytes of it; NULL when there is none. */
const struct element_type *element_type_torch(const char *name, size_t length);
const struct element_type *element_type_storage(const char *name, size_t length);
const struct element_type *element_type_safetensors(const char *name);

/* That of a dtype; of types that the libraries lack (fp4, an element a byte) the unsigned integer of that size. */
const struct element_type *element_type_of(enum dtype dtype);

/* Set type, dtype, bits and size of a tensor. */
void element_type_set(struct tensor *t, const struct element_type *type);

#endif
