#include "orchestrator/run/versions.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

void versions_collect(struct versions *v)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n = 0;

    memset(v, 0, sizeof *v);
    MPI_Get_library_version(library, &n);
    library[strcspn(library, ",\n")] = '\0';
    snprintf(v->text, sizeof v->text, "%s", library);
    v->items[v->count++] = (struct result_version){"l3replay", L3R_VERSION};
    v->items[v->count++] = (struct result_version){"mpi", v->text};
}
