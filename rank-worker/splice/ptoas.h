/*
 * ptoas - finding and running the assembler that turns a .pto file into C++.
 *
 * Where it is looked for and how it is called: docs/formats.md, "From .pto to a kernel's source".
 */
#ifndef L3R_RANK_WORKER_SPLICE_PTOAS_H
#define L3R_RANK_WORKER_SPLICE_PTOAS_H

#include "rank-worker/splice/text.h"

enum { PTOAS_TIMEOUT = 60 }; /* seconds, unless set otherwise */

/* Path of the assembler, to be freed; NULL in `*path` when there is none. With $PTOAS_ROOT set, only there. */
int ptoas_find(char **path, struct error *err);

/* Whether the .pto text places its tiles itself (--pto-level=level3) or leaves it to ptoas (level2). */
bool ptoas_places_tiles(struct span pto);

/* Run `ptoas` on the file `pto` (its text: `text`), writing to `output`, for `timeout` seconds at most. `shown` names
 * the file in errors, which quote what ptoas said. Whether something was written is the caller's to check. */
int ptoas_run(const char *ptoas, const char *pto, const char *shown, struct span text, const char *output, int timeout,
              struct error *err);

#endif
