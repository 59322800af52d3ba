/*
 * lint - what clang-tidy gets before it reads a source (tests/run.sh, stage lint): functions that
 * fill an error return -1. It sees one source at a time, and would follow the way on which they return 0.
 */
#include "common/base/error.h"

#define error_set(...) (error_set(__VA_ARGS__), -1)
#define error_set_kind(...) (error_set_kind(__VA_ARGS__), -1)
#define error_errno(...) (error_errno(__VA_ARGS__), -1)
#define error_nomem(...) (error_nomem(__VA_ARGS__), -1)
