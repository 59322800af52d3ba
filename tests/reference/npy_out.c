#include "npy_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_NBYTES = 4, PREFIX_NBYTES = 10, HEADER_ALIGN = 64 };

void npy_out(const char *dir, const char *name, const char *descr, const char *shape, const void *data, size_t count)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.npy", dir, name);

    /* The header is padded with blanks so that the data begins at a multiple of 64, and ends in a newline. */
    char header[2 * HEADER_ALIGN];
    int used =
        snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    size_t length = sizeof(header) - PREFIX_NBYTES;
    if (used < 0 || (size_t)used >= length) {
        fprintf(stderr, "%s: the header does not fit\n", path);
        exit(1);
    }
    memset(header + used, ' ', length - (size_t)used);
    header[length - 1] = '\n';
    const unsigned char prefix[PREFIX_NBYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};

    FILE *file = fopen(path, "wb");
    if (!file || fwrite(prefix, sizeof(prefix), 1, file) != 1 || fwrite(header, length, 1, file) != 1 ||
        fwrite(data, ELEMENT_NBYTES, count, file) != count || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}
