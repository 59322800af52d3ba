/*
 * temp_dir - a directory of its own for one test, gone at the end.
 *
 * What goes wrong here fails the test.
 */
#ifndef L3R_TESTS_SUPPORT_TEMP_DIR_H
#define L3R_TESTS_SUPPORT_TEMP_DIR_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A new directory below $TMPDIR; temp_dir_remove() removes it with all that is in it, and frees the path. */
char *temp_dir_make(void);
void temp_dir_remove(char *path);

/* Write dir/name with the directories above it; `name` may hold slashes. */
void temp_dir_put(const char *dir, const char *name, const void *data, size_t size);

void temp_dir_put_text(const char *dir, const char *name, const char *text);

/* Root may open everything: until temp_dir_own_user(), be a user whom permissions concern. False: not possible here.
 * Nothing may fail in between, for the clearing away is the own user's. */
bool temp_dir_plain_user(const char *dir);
void temp_dir_own_user(void);

/* Number of entries in a directory, without . and .. */
int temp_dir_count(const char *dir);

#endif
