/* Manifests of batches: any bytes give entries that can be run or have a fault of their own, or one error. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/batch/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct manifest *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct batch_entry *e = &m->entries[i];
        const bool runs = !e->fault.what[0];

        if (!e->work_dir || (runs && !*e->work_dir) || (runs && e->device_id && !*e->device_id)) {
            abort();
        }
    }
    if (strlen(m->content) < 16) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("manifest", MFD_CLOEXEC);
    struct manifest m = {0};
    struct error err = {0};
    char path[64];

    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size)) {
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (manifest_read(&m, path, &err) == 0) {
        check(&m);
    } else if (!err.what[0]) {
        abort();
    }
    manifest_free(&m);
    close(fd);
    return 0;
}
