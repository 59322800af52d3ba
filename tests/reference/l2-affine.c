/*
 * What examples/l2-affine is to compute: y = factor * x + b for each row, and total[i] grows by the sum of row i of y.
 */
#include <stdint.h>
#include <stdio.h>

#include "npy_out.h"

enum { ROWS = 32, COLS = 16 };

int main(int argc, char **argv)
{
    static float x[ROWS][COLS], b[COLS], y[ROWS][COLS], total_in[ROWS], total_out[ROWS];
    int32_t factor = -5;

    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT_DIR OUTPUT_DIR\n", argv[0]);
        return 2;
    }
    for (int j = 0; j < COLS; ++j) {
        b[j] = (float)(3 * j - 20);
    }
    for (int i = 0; i < ROWS; ++i) {
        total_in[i] = (float)(1000 - 7 * i);
        total_out[i] = total_in[i];
        for (int j = 0; j < COLS; ++j) {
            x[i][j] = (float)((5 * i + 3 * j) % 17 - 8);
            y[i][j] = (float)factor * x[i][j] + b[j];
            total_out[i] += y[i][j];
        }
    }
    npy_out(argv[1], "x", "<f4", "32, 16", x, ROWS * COLS);
    npy_out(argv[1], "factor", "<i4", "", &factor, 1);
    npy_out(argv[1], "b", "<f4", "16,", b, COLS);
    npy_out(argv[1], "total", "<f4", "32,", total_in, ROWS);
    npy_out(argv[2], "total", "<f4", "32,", total_out, ROWS);
    npy_out(argv[2], "y", "<f4", "32, 16", y, ROWS * COLS);
    return 0;
}
