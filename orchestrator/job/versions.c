#include "orchestrator/job/versions.h"

#include <string.h>

#include "orchestrator/messages/mpi_job.h"

static void add(struct versions *v, const char *name, const char *text)
{
    if (text) {
        v->items[v->count++] = (struct result_version){name, text};
    }
}

void versions_collect(struct versions *v, const struct compiled *compiled)
{
    memset(v, 0, sizeof *v);
    mpi_job_library(v->text, sizeof v->text);
    add(v, "l3replay", L3R_VERSION);
    add(v, "mpi", v->text);
    add(v, "kernel_compiler", compiled->kernel_compiler);
    add(v, "orchestration_compiler", compiled->orchestration_compiler);
}
