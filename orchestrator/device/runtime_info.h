/*
 * runtime_info - an installed simpler runtime: where it is, what it was built for, and how to compile for it.
 *
 * Its own Python package says so (recorder/runtime.py); the answer is kept in the object store until a file changes that it
 * depends on. Format: docs/formats.md, "The runtime's answer".
 */
#ifndef L3R_ORCHESTRATOR_DEVICE_RUNTIME_INFO_H
#define L3R_ORCHESTRATOR_DEVICE_RUNTIME_INFO_H

#include "common/base/args.h"
#include "common/base/error.h"
#include "rank-worker/compile/stack_commands.h"

struct runtime_info {
    char *root;            /* holds src/ and build/lib */
    const char *found;     /* where that was named: "--simpler-root", ... */
    const char *unrevised; /* why commands.runtime_revision is not known; NULL: it is */
    char *pto_isa_pin;     /* revision of PTO-ISA that it was made for; "": not said */
    struct args built;     /* "a2a3sim/tensormap_and_ringbuffer", ... */
    char *host, *aicpu, *aicore, *sim_context, *dispatcher; /* libraries; "": none */
    struct stack_commands commands;
    struct args includes; /* directories of its headers, for what is compiled against them */
};

/* Ask for a platform and runtime; with `platform` NULL only for what there is (libraries and commands stay empty). `root`:
 * as given with --simpler-root; NULL: $SIMPLER_ROOT, else the package that Python finds. INFRA when there is none, or it
 * was not built for that. Freed with runtime_info_free(), also after an error. */
int runtime_info_ask(const char *root, const char *platform, const char *runtime, struct runtime_info *out,
                     struct error *err);
void runtime_info_free(struct runtime_info *info);

#endif
