/* torch_type - what torch calls the element types. */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_TORCH_TYPE_H
#define L3R_ORCHESTRATOR_USER_PYTHON_TORCH_TYPE_H

#include <stdbool.h>

#include "common/plan/dtype.h"

const char *torch_type_name(enum dtype type);

/* Whether elements that torch calls `name` are of this type: also the type of the same size that stands for one which
 * older releases of torch do not have (int16 for uint16, uint8 for the 8-bit floats). */
bool torch_type_is(enum dtype type, const char *name);

#endif
