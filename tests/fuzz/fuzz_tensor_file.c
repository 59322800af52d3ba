/* Tensor files of any format: any bytes give tensors that can be read, or an error with all its parts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/tensor_file/tensor_read.h"

enum { MOST_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const struct tensor_file *f)
{
    for (size_t i = 0; i < f->tensors.count; i++) {
        const struct tensor *t = &f->tensors.items[i];
        void *dst;

        /* Strides of 0 and compression make much of few bytes. */
        if (t->count > MOST_BYTES / t->size || t->span > MOST_BYTES / t->size || t->offset > MOST_BYTES) {
            continue;
        }
        dst = malloc(t->count * t->size + 1);
        if (dst) {
            (void)tensor_read(f, t, dst, NULL);
        }
        free(dst);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    struct error err = {0};
    struct tensor_file *f;
    char path[64];

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (tensor_file_open(&f, path, &err) == 0) {
        read_all(f);
        tensor_file_close(f);
    } else if (!err.what[0] || !err.where[0] || !err.hint[0]) {
        abort();
    }
    close(fd);
    return 0;
}
