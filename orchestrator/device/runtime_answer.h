/*
 * runtime_answer - the text with which the runtime's Python package answers: asked for, and kept.
 */
#ifndef L3R_ORCHESTRATOR_DEVICE_RUNTIME_ANSWER_H
#define L3R_ORCHESTRATOR_DEVICE_RUNTIME_ANSWER_H

#include "common/base/error.h"

/* What is asked; strings are "" where there is nothing to say. */
struct runtime_question {
    const char *root, *platform, *runtime, *pto_isa;
};

/* The answer as one line of JSON, to be freed; NULL with `err` filled. Kept in the store for each question. */
char *runtime_answer(const struct runtime_question *question, struct error *err);

#endif
