/*
 * splice - carry edits of .pto files into the kernels' sources.
 *
 * For each stale ptoas/<unit>.pto of a build, in its root and in every program's directory: ptoas runs, and
 * what it wrote replaces the body of the kernels that it feeds. A unit is carried over whole or not at all, and
 * one that a killed process was at is done again. Rules and lines: docs/formats.md, "From .pto to a kernel's source".
 */
#ifndef L3R_RANK_WORKER_SPLICE_SPLICE_H
#define L3R_RANK_WORKER_SPLICE_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/error.h"

struct splice_options {
    bool off;          /* --no-rebuild-from-pto: only say that it is skipped */
    int jobs;          /* ptoas processes at once; 0: one a core */
    int ptoas_timeout; /* seconds for one of them; 0: PTOAS_TIMEOUT */
    int lock_timeout;  /* seconds to wait for another splice in this build; 0: no limit */
    FILE *lines;       /* where the lines for the user go; NULL: nowhere */
};

enum splice_skip { SPLICE_DONE = 0, SPLICE_OFF, SPLICE_NO_STAGE, SPLICE_NO_PTOAS };

struct splice_report {
    enum splice_skip skipped;
    size_t nstale;  /* .pto files newer than what was made of them; with SPLICE_NO_PTOAS they still are */
    size_t nfailed; /* those of them that could not be carried over */
    size_t nsame;   /* kernels that already held the new body */
    char **changed; /* the others: paths from the build's root, in order of the work */
    size_t nchanged;
};

/* Splice what is stale in `build`. `report` (may be NULL) is filled also on failure; free it in any case. When a unit
 * fails the others are done all the same; the error is the last failed unit's, those before it are printed. */
int splice_build(const char *build, const struct splice_options *options, struct splice_report *report,
                 struct error *err);
void splice_report_free(struct splice_report *report);

#endif
