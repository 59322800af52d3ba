#include "orchestrator/open/no_metadata.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/open/metadata.h"

static const char note[] =
    "there is no compiled_meta.json (the build is a program of an L3 build, or its compile was interrupted): "
    "parameters "
    "are called arg0, arg1, ... in the order of the signature in kernel_config.py; dtypes and shapes come from "
    "--input, "
    "--expect, data/in, data/out or --shape (fp32), and scalars, which follow the tensors, from --scalar";

/* The L3 build of which the build is a program lies two directories up. -1: there is none, or it says nothing usable. */
static int read_parent(const struct build *b, struct build *parent)
{
    static const char above[] = "/next_levels";
    const size_t n = sizeof above - 1;
    char *path = file_join(b->dir, "../../distributed_meta.json", NULL);
    const char *name = strrchr(b->dir, '/');
    int rc = -1;

    if (path && name && (size_t)(name - b->dir) > n && strncmp(name - n, above, n) == 0) {
        rc = metadata_read(path, parent, NULL);
    }
    free(path);
    return rc;
}

int no_metadata_fill(struct build *out, struct error *err)
{
    struct build parent = {.kind = BUILD_L3};
    bool found = read_parent(out, &parent) == 0;

    out->no_metadata = true;
    out->platform = strdup(found ? parent.platform : "a2a3sim");
    out->backend_type = strdup(found ? parent.backend_type : "Ascend910B");
    out->device_ids = calloc(1, sizeof *out->device_ids);
    out->ndevice = out->device_ids ? 1 : 0;
    build_free(&parent);
    if (!out->platform || !out->backend_type || !out->device_ids) {
        return error_nomem(err, out->dir, 32);
    }
    return build_add_note(out, err, "%s", note);
}
