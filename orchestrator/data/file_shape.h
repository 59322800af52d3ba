/*
 * file_shape - what a file of a tensor says about a parameter of which nothing else is known.
 */
#ifndef L3R_ORCHESTRATOR_DATA_FILE_SHAPE_H
#define L3R_ORCHESTRATOR_DATA_FILE_SHAPE_H

#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"

/* Type and shape (`shape` has room for PLAN_MAX_DIMS) of the tensor in `file` (FILE or FILE:KEY) for the parameter `param`.
 * Elements that no device takes are an error. */
int file_shape(const char *file, const char *param, enum dtype *type, uint32_t *ndim, int64_t *shape,
               struct error *err);

#endif
