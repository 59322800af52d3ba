#include "common/base/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

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
            /* A directory that could not be read is not empty for that reason. */
            failed = entry->fts_info == FTS_DNR ? entry->fts_errno : errno;
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

/* In a user namespace root may have another number; it is the one who owns "/". */
static bool is_trusted(uid_t owner)
{
    struct stat top;

    return owner == geteuid() || owner == 0 || (stat("/", &top) == 0 && owner == top.st_uid);
}

/* Where each user has a group of the same name with nobody else in it, directories that the group may write are normal
 * (umask 002). */
static bool is_own_group(gid_t gid)
{
    const struct passwd *user = getpwuid(geteuid());
    const struct group *group = user && user->pw_gid == gid ? getgrgid(gid) : NULL;

    if (!group || strcmp(group->gr_name, user->pw_name) != 0) {
        return false;
    }
    for (char **member = group->gr_mem; *member; member++) {
        if (strcmp(*member, user->pw_name) != 0) {
            return false;
        }
    }
    return true;
}

static bool others_can_write(const struct stat *st, bool sticky)
{
    if (sticky && (st->st_mode & S_ISVTX)) {
        return false;
    }
    return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && !is_own_group(st->st_gid));
}

static bool others_are_trusted(void)
{
    const char *shared = getenv("L3REPLAY_CACHE_SHARED");

    return shared && strcmp(shared, "1") == 0;
}

int directory_check_ours(const char *path, bool sticky, struct error *err)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        return error_errno(err, path, file_errno_hint(errno), "cannot use the directory %s", path);
    }
    if (others_are_trusted()) {
        return 0;
    }
    if (!is_trusted(st.st_uid)) {
        errno = EPERM;
        return error_set(err, path, "use another directory, or set L3REPLAY_CACHE_SHARED=1 when you trust that user",
                         "%s belongs to another user (%lu)", path, (unsigned long)st.st_uid);
    }
    if (!others_can_write(&st, sticky)) {
        return 0;
    }
    errno = EPERM;
    return error_set(err, path,
                     "take that right away (chmod go-w), or set L3REPLAY_CACHE_SHARED=1 when you trust these users",
                     "other users can write to %s (mode %03o)", path, (unsigned)(st.st_mode & 07777));
}

int directory_make_ours(const char *path, struct error *err)
{
    return file_make_dirs_mode(path, others_are_trusted() ? 0777 : 0755, err);
}
