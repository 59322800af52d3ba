#include "common/plan/program_table.h"

#include <stdlib.h>
#include <string.h>

static void kernel_free(struct kernel *k)
{
    free(k->name);
    free(k->source);
    free(k->signature.directions);
    for (size_t i = 0; i < k->ninclude; i++) {
        free(k->include_dirs[i]);
    }
    free(k->include_dirs);
}

static void program_free(struct program *p)
{
    free(p->name);
    free(p->dir);
    free(p->runtime);
    free(p->orchestration);
    free(p->function_name);
    free(p->config_name);
    free(p->signature.directions);
    for (size_t i = 0; i < p->nkernel; i++) {
        kernel_free(&p->kernels[i]);
    }
    free(p->kernels);
}

void program_table_free(struct program_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        program_free(&table->items[i]);
    }
    free(table->items);
    memset(table, 0, sizeof *table);
}

long program_find(const struct program_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->items[i].name, name) == 0) {
            return (long)i;
        }
    }
    return -1;
}
