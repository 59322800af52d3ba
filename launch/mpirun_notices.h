/*
 * mpirun_notices - what mpirun says about the ends of its processes, taken out of its stderr.
 *
 * Open MPI prints blocks between two lines of dashes. Those that say how processes ended are a second opinion on what
 * l3replay has reported itself, but they alone know which signal ended a process. They are kept back, and the
 * rank, host and signal in them are kept. All else passes, at once unless it begins with a dash.
 */
#ifndef L3R_LAUNCH_MPIRUN_NOTICES_H
#define L3R_LAUNCH_MPIRUN_NOTICES_H

#include <stdbool.h>
#include <stddef.h>

enum { NOTICE_MAX = 4096 };

struct mpirun_notices {
    int signal; /* the first one that ended a process; 0: none did */
    int rank;   /* of that process */
    char host[256];
    bool middle; /* of a line that passes */
    char held[NOTICE_MAX];
    size_t nheld, line; /* bytes that may be of a notice; where their last line begins */
};

/* Take `n` bytes of the stderr. Returns how many bytes of `out`, which has room for n + NOTICE_MAX, are to be passed on. */
size_t mpirun_notices_take(struct mpirun_notices *m, const char *bytes, size_t n, char *out);

/* The stderr has ended: what was held back and is no notice. `out` as above. */
size_t mpirun_notices_end(struct mpirun_notices *m, char *out);

#endif
