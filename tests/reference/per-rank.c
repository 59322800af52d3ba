/* What examples/per-rank is to compute: program k turns row k of x into (k + 1) * x[k] + k. */
#include <stdio.h>

#include "npy_out.h"

enum { ROWS = 8, COLS = 32 };

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT_DIR OUTPUT_DIR\n", argv[0]);
        return 2;
    }
    static float x[ROWS][COLS], out[ROWS][COLS];
    for (int k = 0; k < ROWS; ++k) {
        for (int j = 0; j < COLS; ++j) {
            x[k][j] = (float)((k * COLS + j) % 29 - 14);
            out[k][j] = (float)(k + 1) * x[k][j] + (float)k;
        }
    }
    npy_out(argv[1], "x", "<f4", "8, 32", x, ROWS * COLS);
    npy_out(argv[2], "out", "<f4", "8, 32", out, ROWS * COLS);
    return 0;
}
