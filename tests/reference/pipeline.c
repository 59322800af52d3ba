/*
 * What examples/pipeline is to compute. With S[i] = n * (x[0] + ... + x[i]),
 * row i of out is S[i] with its two halves exchanged, plus a weight that
 * depends on i; count[i] grows by the number of positive elements of that row.
 */
#include <stdint.h>
#include <stdio.h>

#include "npy_out.h"

enum { ROWS = 8, COLS = 64 };

static float prefix_sum(float x[ROWS][COLS], int n, int row, int col)
{
    float sum = 0.0f;
    for (int i = 0; i <= row; ++i) {
        sum += x[i][col];
    }
    return (float)n * sum;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT_DIR OUTPUT_DIR\n", argv[0]);
        return 2;
    }
    static float x[ROWS][COLS], out[ROWS][COLS];
    int32_t n = 3, count_in[ROWS], count_out[ROWS];
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < COLS; ++j) {
            x[i][j] = (float)((11 * i + 7 * j) % 13 - 6);
        }
        count_in[i] = 100 * i;
    }
    for (int i = 0; i < ROWS; ++i) {
        int weight = i % 2 == 0 ? i : ROWS - i;
        count_out[i] = count_in[i];
        for (int j = 0; j < COLS; ++j) {
            out[i][j] = prefix_sum(x, n, i, (j + COLS / 2) % COLS) + (float)weight;
            count_out[i] += out[i][j] > 0.0f;
        }
    }
    npy_out(argv[1], "x__ssa_v0", "<f4", "8, 64", x, ROWS * COLS);
    npy_out(argv[1], "n__ssa_v0", "<i4", "", &n, 1);
    npy_out(argv[1], "count__ssa_v0", "<i4", "8,", count_in, ROWS);
    npy_out(argv[2], "count__ssa_v0", "<i4", "8,", count_out, ROWS);
    npy_out(argv[2], "out__ssa_v0", "<f4", "8, 64", out, ROWS * COLS);
    return 0;
}
