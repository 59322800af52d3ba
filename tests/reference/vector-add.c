/* What examples/vector-add is to compute: out = a + b, element by element. */
#include <stdio.h>

#include "npy_out.h"

enum { COUNT = 64 * 16 };

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT_DIR OUTPUT_DIR\n", argv[0]);
        return 2;
    }
    static float a[COUNT], b[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        a[i] = (float)(i % 23 - 11);
        b[i] = (float)(7 * i % 31 - 15);
        out[i] = a[i] + b[i];
    }
    npy_out(argv[1], "a", "<f4", "64, 16", a, COUNT);
    npy_out(argv[1], "b", "<f4", "64, 16", b, COUNT);
    npy_out(argv[2], "out", "<f4", "64, 16", out, COUNT);
    return 0;
}
