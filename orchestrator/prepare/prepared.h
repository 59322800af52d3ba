/* prepared - all that there is before the first kernel, of the process that prepares (prepare.h). */
#ifndef L3R_ORCHESTRATOR_PREPARE_PREPARED_H
#define L3R_ORCHESTRATOR_PREPARE_PREPARED_H

#include "common/segment/segment.h"
#include "orchestrator/bench/rounds.h"
#include "orchestrator/data/verify.h"
#include "orchestrator/device/device_choice.h"
#include "orchestrator/prepare/binding.h"
#include "orchestrator/prepare/recording.h"
#include "orchestrator/user_python/user_checks.h"
#include "rank-worker/compile/compile.h"

struct other_build;

struct prepared {
    struct recording recording;   /* its plan has edges; the segment holds a copy */
    struct rounds rounds;         /* of the plan, when it has any */
    struct other_build *other;    /* the second one of two (other_build.h); else NULL */
    struct tolerance tolerance;   /* of the options, else of golden.py */
    struct references references; /* until `verify` has them */
    char unused[512];             /* why references in data/out are not compared with; "": they are */
    struct verify *verify;
    struct user_checks checks;     /* comparisons that the user wrote */
    struct golden_scalar *scalars; /* values of scalar parameters, as typed or read */
    size_t nscalar;
    struct compile_session *session; /* NULL: nothing was to be compiled yet */
    struct compiled compiled;
    struct bindings bindings;
    char *sheet;
    struct dfx dfx; /* what is captured */
    int dfx_lock;   /* descriptor; -1: none */
    bool no_result; /* nothing can be written to --result, which is the error of prepare() */
    enum device_kind device;
    struct runtime_info runtime; /* DEVICE_SIMPLER */
    struct device_setup setup;
    struct segment segment;
};

#endif
