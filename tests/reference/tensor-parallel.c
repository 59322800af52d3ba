/*
 * What examples/tensor-parallel is to compute: with s = relu(x * transpose(w1)) * w2,
 * y = relu(16 * (s - mean of s's row)). Every value is a whole number below
 * 2^24, so float arithmetic is exact in any order.
 */
#include <stdint.h>
#include <stdio.h>

#include "npy_out.h"

enum { TOKENS = 16, WIDTH = 32, HIDDEN = 64, OUT = 16 };

/* Whole numbers around zero without a visible period, from a linear congruential generator. */
static void fill(float *data, int count, uint32_t seed, int modulus)
{
    for (int i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)((int)(seed >> 16) % modulus - modulus / 2);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT_DIR OUTPUT_DIR\n", argv[0]);
        return 2;
    }
    static float x[TOKENS][WIDTH], w1[HIDDEN][WIDTH], w2[HIDDEN][OUT], s[TOKENS][OUT], y[TOKENS][OUT];
    fill(x[0], TOKENS * WIDTH, 1, 5);
    fill(w1[0], WIDTH * HIDDEN, 2, 7);
    fill(w2[0], HIDDEN * OUT, 3, 3);
    for (int i = 0; i < TOKENS; ++i) {
        for (int h = 0; h < HIDDEN; ++h) {
            float hidden = 0.0f;
            for (int k = 0; k < WIDTH; ++k) {
                hidden += x[i][k] * w1[h][k];
            }
            for (int j = 0; hidden > 0.0f && j < OUT; ++j) {
                s[i][j] += hidden * w2[h][j];
            }
        }
        float row = 0.0f;
        for (int j = 0; j < OUT; ++j) {
            row += s[i][j];
        }
        for (int j = 0; j < OUT; ++j) {
            float centred = (float)OUT * s[i][j] - row;
            y[i][j] = centred > 0.0f ? centred : 0.0f;
        }
    }
    npy_out(argv[1], "x", "<f4", "16, 32", x, TOKENS * WIDTH);
    npy_out(argv[1], "w1", "<f4", "64, 32", w1, WIDTH * HIDDEN);
    npy_out(argv[1], "w2", "<f4", "64, 16", w2, HIDDEN * OUT);
    npy_out(argv[2], "y", "<f4", "16, 16", y, TOKENS * OUT);
    return 0;
}
