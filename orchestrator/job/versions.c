#include "orchestrator/job/versions.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void add(struct versions *v, const char *name, const char *text)
{
    if (text)
        v->items[v->count++] = (struct result_version){name, text};
}

void versions_collect(struct versions *v, const struct compiled *compiled)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n = 0;

    memset(v, 0, sizeof *v);
    MPI_Get_library_version(library, &n);
    library[strcspn(library, ",\n")] = '\0';
    snprintf(v->text, sizeof v->text, "%s", library);
    add(v, "l3replay", L3R_VERSION);
    add(v, "mpi", v->text);
    add(v, "kernel_compiler", compiled->kernel_compiler);
    add(v, "orchestration_compiler", compiled->orchestration_compiler);
}
