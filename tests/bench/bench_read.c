/* Reading a file's tensor into memory that is shared: see bench_read.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "orchestrator/tensor_file/tensor_read.h"
#include "orchestrator/tensor_file/tensor_write.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Files of `megabytes` in `dir`. */
static int make(const char *dir, long megabytes, struct error *err)
{
    const int64_t shape[] = {megabytes, 1 << 18};
    const size_t nbytes = (size_t)megabytes << 20;
    float *data = malloc(nbytes);
    char path[4096];
    int rc = 0;

    if (!data) {
        return error_nomem(err, dir, nbytes);
    }
    for (size_t i = 0; i < nbytes / sizeof *data; i++) {
        data[i] = (float)i;
    }
    for (int format = 0; format < TENSOR_FORMATS && rc == 0; format++) {
        if (format != TENSOR_NPZ) {
            snprintf(path, sizeof path, "%s/x.%s", dir, tensor_format_suffix((enum tensor_format)format));
            rc = tensor_write(path, (enum tensor_format)format, "x", DTYPE_FLOAT32, 2, shape, data, err);
        }
    }
    free(data);
    return rc;
}

/* Seconds to open the file, make new shared memory, and read into it; negative: `err`. */
static double read_once(const char *path, uint64_t *nbytes, struct error *err)
{
    double begin = now(), took = -1;
    struct tensor_file *f;
    void *memory;
    int fd;

    if (tensor_file_open(&f, path, err)) {
        return -1;
    }
    *nbytes = f->tensors.items[0].count * f->tensors.items[0].size;
    fd = memfd_create("bench", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)*nbytes)) {
        error_errno(err, path, NULL, "no shared memory");
    } else {
        memory = mmap(NULL, *nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory == MAP_FAILED) {
            error_errno(err, path, NULL, "no shared memory");
        } else if (tensor_read(f, &f->tensors.items[0], memory, err) == 0) {
            took = now() - begin;
        }
        if (memory != MAP_FAILED) {
            munmap(memory, *nbytes);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    tensor_file_close(f);
    return took;
}

int main(int argc, char **argv)
{
    struct error err;
    uint64_t nbytes = 0;
    double best = 0;

    if (argc == 4 && strcmp(argv[1], "--make") == 0) {
        if (make(argv[2], strtol(argv[3], NULL, 10), &err)) {
            error_print(&err);
            return 1;
        }
        return 0;
    }
    if (argc != 3) {
        return 2;
    }
    for (int i = 0; i < 5; i++) {
        double took = read_once(argv[1], &nbytes, &err);
        if (took < 0) {
            error_print(&err);
            return 1;
        }
        best = best == 0 || took < best ? took : best;
    }
    printf("%-14s %8.0f MB/s   %.2f of cp\n", strrchr(argv[1], '/') + 1, (double)(nbytes >> 20) / best,
           (double)(nbytes >> 20) / best / strtod(argv[2], NULL));
    return 0;
}
