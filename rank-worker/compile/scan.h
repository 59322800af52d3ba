/*
 * scan - what a source says before a compiler reads it.
 *
 * Looks at the source and at the headers of its own (includes found next to the file that names them, or in the
 * kernel's include directories), enough to choose flags and to refuse by name; comments and strings are
 * skipped.
 */
#ifndef L3R_RANK_WORKER_COMPILE_SCAN_H
#define L3R_RANK_WORKER_COMPILE_SCAN_H

#include <stdbool.h>

#include "common/base/args.h"

struct scan {
    bool pto;              /* includes PTO-ISA: a path that begins with pto/ */
    bool bfloat16;         /* names bfloat16_t */
    bool own_inline_names; /* a header of its own has names as inline_names.h describes */
    char *async;           /* the header of deferred completion or of the DMA back ends that it includes; NULL: none */
    char *text;            /* the source */
    size_t nbytes;
    /* The leading preprocessor lines up to pto-inst.hpp and the system and pto/ includes that follow it directly,
     * comments dropped; NULL when there is none or when code, or an include found beside the source, comes first. */
    char *prefix;
};

/* `dirs` are the include directories of the source's own, searched after the includer's directory. -1 when the
 * source cannot be read; a header that cannot is left to the compiler. */
int scan_source(const char *path, char *const *dirs, size_t ndir, struct scan *scan, struct error *err);
void scan_free(struct scan *scan);

#endif
