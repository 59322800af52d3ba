/* What examples/allreduce is to compute: every row of out is the sum of all rows of x, for each of two matrices. */
#include <stdio.h>

#include "npy_out.h"

enum { MATRICES = 2, ROWS = 64, COLS = 8 };

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT_DIR OUTPUT_DIR\n", argv[0]);
        return 2;
    }
    static float x[MATRICES][ROWS][COLS], out[MATRICES][ROWS][COLS];
    for (int t = 0; t < MATRICES; ++t) {
        for (int j = 0; j < COLS; ++j) {
            float sum = 0.0f;
            for (int i = 0; i < ROWS; ++i) {
                x[t][i][j] = (float)((5 * i + 3 * j + 7 * t) % 19 - 6);
                sum += x[t][i][j];
            }
            for (int i = 0; i < ROWS; ++i) {
                out[t][i][j] = sum;
            }
        }
    }
    npy_out(argv[1], "x", "<f4", "2, 64, 8", x, MATRICES * ROWS * COLS);
    npy_out(argv[2], "out", "<f4", "2, 64, 8", out, MATRICES * ROWS * COLS);
    return 0;
}
