/*
 * task_args - the name under which sources include tensors, directions and argument limits.
 */
#ifndef L3R_TASK_ARGS_H
#define L3R_TASK_ARGS_H

#include "arg_direction.h"
#include "tensor.h"

#endif
