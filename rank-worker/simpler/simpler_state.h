/*
 * simpler_state - what the simpler device knows, for the files of this folder.
 */
#ifndef L3R_RANK_WORKER_SIMPLER_SIMPLER_STATE_H
#define L3R_RANK_WORKER_SIMPLER_SIMPLER_STATE_H

#include <stdatomic.h>

#include "rank-worker/device.h"
#include "rank-worker/simpler/simpler_library.h"

enum { SIMPLER_MAX_PROGRAMS = 64 }; /* ids that the runtime has */

struct simpler_program {
    char *name;
    void *callable; /* the runtime keeps no copy of all of it */
    bool registered;
};

struct device {
    struct device_setup setup;
    struct simpler_library lib;
    void *context;                       /* the runtime's, of this card */
    bool opened;                         /* simpler_init() has succeeded */
    bool failed;                         /* a run has: no other can follow */
    void *storage, *args, *config, *run; /* of the run under way, used again for each */
    uint64_t nrun;
    struct simpler_program programs[SIMPLER_MAX_PROGRAMS];
    uint32_t nprogram;
    void **domains;
    uint32_t ndomain;
    size_t cap_domain;
    _Atomic(const char *) running; /* name of the program of the dispatch under way, or NULL */
};

/* Rows of the device table (rank-worker/device.h) that are in files of their own. */
int simpler_load_program(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err);
int simpler_dispatch(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result,
                     struct error *err);
void simpler_unload_programs(struct device *dev);

#endif
