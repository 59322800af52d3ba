#include "orchestrator/tensor_file/tensor_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/clean_name.h"

static struct tensor_file *find_open(const struct tensor_pool *pool, const char *path)
{
    struct stat st;

    for (size_t i = 0; stat(path, &st) == 0 && i < pool->count; i++) {
        const struct stat *opened = &pool->files[i]->source.opened;
        if (opened->st_dev == st.st_dev && opened->st_ino == st.st_ino && opened->st_size == st.st_size &&
            opened->st_mtim.tv_sec == st.st_mtim.tv_sec && opened->st_mtim.tv_nsec == st.st_mtim.tv_nsec) {
            return pool->files[i];
        }
    }
    return NULL;
}

static struct tensor_file *open_once(struct tensor_pool *pool, const char *path, struct error *err)
{
    struct tensor_file *f = find_open(pool, path);

    if (f) {
        return f;
    }
    if (array_room(&pool->files, &pool->capacity, pool->count, sizeof(struct tensor_file *))) {
        error_nomem(err, path, (pool->count + 1) * sizeof(struct tensor_file *));
        return NULL;
    }
    if (tensor_file_open(&f, path, err)) {
        return NULL;
    }
    pool->files[pool->count++] = f;
    return f;
}

/* Where the key begins in what was typed; NULL: all of it is the file's name. */
static const char *split_key(const char *typed, char *path, size_t size)
{
    const char *colon = strrchr(typed, ':');
    struct stat st;

    if (stat(typed, &st) == 0 || !colon || colon == typed || (size_t)(colon - typed) >= size) {
        return NULL;
    }
    memcpy(path, typed, (size_t)(colon - typed));
    path[colon - typed] = '\0';
    return stat(path, &st) == 0 ? colon + 1 : NULL;
}

static int no_tensor(const struct tensor_file *f, const char *key, const char *name, struct error *err)
{
    char list[600] = "";
    size_t used = 0;

    for (size_t i = 0; i < f->tensors.count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", f->tensors.items[i].name);
    }
    clean_name(list);
    if (key) {
        return error_set(err, f->source.path, "name one of them", "%s has no tensor %.100s; there %s: %s",
                         f->source.path, key, f->tensors.count == 1 ? "is" : "are",
                         *list ? list : "one without a name");
    }
    return error_set(err, f->source.path, "name one of them: NAME=FILE:KEY",
                     "%s holds %zu tensors, none of them called %s: %s", f->source.path, f->tensors.count, name, list);
}

int tensor_pool_open(struct tensor_pool *pool, const char *typed, const char *name, size_t plain_length,
                     const struct tensor_file **file, const struct tensor **tensor, struct error *err)
{
    char path[4096];
    const char *key = split_key(typed, path, sizeof path);
    const struct tensor_file *f = open_once(pool, key ? path : typed, err);
    const struct tensor *t = NULL;

    if (!f) {
        return -1;
    }
    if (key) {
        t = tensor_file_find(f, key, strlen(key));
    } else if (f->tensors.count == 1) {
        t = &f->tensors.items[0];
    } else if (!(t = tensor_file_find(f, name, strlen(name)))) {
        t = tensor_file_find(f, name, plain_length);
    }
    if (!t) {
        return no_tensor(f, key, name, err);
    }
    *file = f;
    *tensor = t;
    return 0;
}

void tensor_pool_release(struct tensor_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        tensor_file_release(pool->files[i]);
    }
}

void tensor_pool_close(struct tensor_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        tensor_file_close(pool->files[i]);
    }
    free(pool->files);
    *pool = (struct tensor_pool){0};
}
