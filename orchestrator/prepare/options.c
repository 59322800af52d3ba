#include "orchestrator/prepare/options.h"

#include <stdlib.h>

void run_options_free(struct run_options *o)
{
    free(o->inputs);
    free(o->expects);
    free(o->scalars);
    free(o->shapes);
    free(o->subs);
    free(o->compares);
    free(o->topks);
    free(o->settings);
    args_free(&o->unused);
    args_free(&o->device.cpu_unused);
}
