/*
 * npy_out - write an array as a .npy file, for the reference programs.
 *
 * Independent of the project's own reader and writer on purpose: the data of
 * the examples must not be made by the code that they test.
 */
#ifndef L3R_TESTS_REFERENCE_NPY_OUT_H
#define L3R_TESTS_REFERENCE_NPY_OUT_H

#include <stddef.h>

/* Write `data`, row-major, as <dir>/<name>.npy (format 1.0). `descr` is numpy's, "<f4" or "<i4", four bytes an
 * element; `shape` is the text between the parentheses: "64, 16", "8," or "" for one number.
 * Prints to stderr and ends the program with 1 when it cannot. */
void npy_out(const char *dir, const char *name, const char *descr, const char *shape, const void *data, size_t count);

#endif
