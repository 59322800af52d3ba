/*
 * common - the name under which sources include the assertions.
 */
#ifndef L3R_COMMON_H
#define L3R_COMMON_H

#include <stdio.h>
#include <stdlib.h>

#include "assert_compat.h"

#endif
