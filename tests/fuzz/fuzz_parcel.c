/* Parcels: any bytes give pieces that lie inside them and whose paths lead below the directory, or an error. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/gather/parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct parcel_piece piece;
    size_t at = 0;
    int rc;

    while ((rc = parcel_next(data, size, &at, &piece, &err)) == 1) {
        const uint8_t *begin = piece.data;

        if (begin < data || piece.nbytes > size || begin + piece.nbytes > data + size || at > size) {
            abort();
        }
        if (parcel_path_check(piece.path, NULL) < 0 || piece.path[0] == '/' || strstr(piece.path, "/../")) {
            abort();
        }
    }
    if (rc < 0 && !err.what[0]) {
        abort();
    }
    return 0;
}
