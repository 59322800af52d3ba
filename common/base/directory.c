#include "common/base/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_names(DIR *dir, bool (*wanted)(const char *name), struct args *names)
{
    const struct dirent *entry;

    while ((errno = 0, entry = readdir(dir))) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && (!wanted || wanted(name))) {
            args_take(names, strdup(name));
        }
        if (names->failed) {
            errno = ENOMEM;
            return -1;
        }
    }
    return errno ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int directory_list(const char *path, bool (*wanted)(const char *name), struct args *names)
{
    const size_t first = names->n;
    DIR *dir = opendir(path);
    int rc, saved;

    if (!dir) {
        return -1;
    }
    rc = read_names(dir, wanted, names);
    saved = errno;
    closedir(dir);
    if (rc < 0) {
        while (names->n > first) {
            free(names->v[--names->n]);
            names->v[names->n] = NULL;
        }
        if (first == 0) {
            args_free(names);
        }
    } else if (names->n > first) {
        qsort(names->v + first, names->n - first, sizeof *names->v, compare);
    }
    errno = saved;
    return rc;
}

static bool stays(const FTSENT *entry, const char *spared)
{
    return spared && entry->fts_info != FTS_NS &&
           (entry->fts_level == 0 || (entry->fts_level == 1 && strcmp(entry->fts_name, spared) == 0));
}

int directory_remove(const char *path, const struct directory_remove *how)
{
    static const struct directory_remove all = {0};
    char *root = strdup(path), *roots[] = {root, NULL};
    FTS *tree = NULL;
    const FTSENT *entry;
    int failed = 0;

    how = how ? how : &all;
    if (root) {
        tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | (how->one_device ? FTS_XDEV : 0), NULL);
    }
    if (!tree) {
        failed = errno;
        free(root);
        errno = failed;
        return -1;
    }
    while ((!failed || how->go_on) && (errno = 0, entry = fts_read(tree))) {
        if (entry->fts_info == FTS_D || stays(entry, how->spared)) {
            continue;
        }
        if (remove(entry->fts_accpath) < 0 && !failed) {
            failed = errno;
        }
    }
    if (!failed) {
        failed = errno;
    }
    fts_close(tree);
    free(root);
    errno = failed;
    return failed ? -1 : 0;
}
