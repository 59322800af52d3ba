/* golden_inputs - the file executed, and what its generate_inputs() or _inline_inputs() gives, as arrays. */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_INPUTS_H
#define L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_INPUTS_H

#include "orchestrator/user_python/golden_state.h"

/* Fill `inputs` with the `count` parameters that are needed, and what the file says of outputs and tolerances: from the
 * store, or by running it. With a count of 0 the file is executed and no function of it called. */
int golden_make_inputs(struct golden *g, size_t count, struct error *err);

/* Start Python and execute the file, where that was not done yet. */
int golden_load(struct golden *g, struct error *err);

/* Call generate_inputs() or _inline_inputs(), and check what it lists; nothing is saved yet. */
int golden_generate(struct golden *g, struct error *err);

/* The list "files" of an answer, added. */
int golden_take_files(struct golden *g, const struct json_source *src, const cJSON *answer);

/* What the file calls a parameter: as it listed it, or without the compiler's suffix. Into `buf`, returned. */
const char *golden_name(const struct golden *g, const char *param, char *buf, size_t size);

#endif
