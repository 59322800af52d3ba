/*
 * ir_passes - the programs that the compiler left after each of its passes, checked one by one by an installed compiler.
 *
 * A build that was compiled with dumps has a file for each pass in passes_dump/, numbered in their order. The compiler's package can
 * execute such a file in torch and compare its outputs: the first one that differs names the pass that broke the program. Inputs
 * and references are the build's: data/in and data/out, else golden.py. One file of Python of our own
 * (orchestrator/record/recorder/ir_passes.py) does it, in the user's interpreter; it answers through session.h:
 *
 *   values  {"build":DIR,"golden":PATH or null,"params":[{"name","dtype","shape","input","output"},..]}   {"expected":[NAME,..]}
 *   check   {"pass":PATH,"rtol":X or null,"atol":X or null}          {"matches":BOOL,"checked":BOOL,"text":TEXT}
 */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_IR_PASSES_H
#define L3R_ORCHESTRATOR_USER_PYTHON_IR_PASSES_H

#include "common/base/args.h"
#include "orchestrator/open/build_info.h"

struct ir_options {
    double rtol, atol; /* negative: those of golden.py, else the compiler's own */
    double limit_s;    /* for each pass; 0: none */
};

enum ir_verdict { IR_MATCHES, IR_DIFFERS, IR_NOT_CHECKED };

/* Called after each pass: the file's name without its suffix, and the compiler's words. */
typedef void ir_found(void *context, const char *pass, enum ir_verdict verdict, const char *text);

/* Add the paths of the files of the passes to `files`, in their order. -1 with `err`: there are none. */
int ir_passes_list(const struct build *build, struct args *files, struct error *err);

/* Check `files`. -1 with `err` (INFRA): no compiler, nothing to compare with, or Python ended or took too long; what was found
 * until then was reported. */
int ir_passes_check(const struct build *build, const struct args *files, const struct ir_options *options,
                    ir_found *found, void *context, struct error *err);

#endif
