/*
 * build_writer - L3 builds with empty kernels, for measuring everything but kernels.
 */
#ifndef L3R_TESTS_BENCH_BUILD_WRITER_H
#define L3R_TESTS_BENCH_BUILD_WRITER_H

#include <stddef.h>

/* Which dispatches host_orch.py makes; `count` is their number (a card for BENCH_CARDS). */
enum bench_shape {
    BENCH_ONE_CARD,  /* all on card 0, each on the same tensor */
    BENCH_ALTERNATE, /* on cards 0 and 1 in turn, each needs the one before */
    BENCH_CARDS,     /* on every card, nothing shared */
    BENCH_DOMAIN,    /* the same, each on its window of one comm domain */
};

/* Write a build for `cards` cards into the existing directory `dir`; exits with a message when it cannot. */
void build_write(const char *dir, enum bench_shape shape, int cards, int count);

/* Let the kernel of a build take `us` microseconds. */
void build_set_busy(const char *dir, int us);

/* Run a command (argv, NULL-terminated) with stdout and stderr to /dev/null, or shown when `show`; returns its
 * exit status and the wall, user and system seconds of it and its children. */
struct usage {
    double wall, user, sys;
};
int command_run(char *const argv[], int show, struct usage *usage);

/* Sorts; the value at quantile q. */
double quantile(double *values, size_t count, double q);

/* Path of a program of the build tree that this bench belongs to. */
void tree_path(const char *relative, char *buf, size_t size);

#endif
