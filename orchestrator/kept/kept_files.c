#include "orchestrator/kept/kept_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "rank-worker/compile/store.h"

enum { CONTENT_MAX = 16 << 20 };

struct timespec kept_files_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

bool kept_files_are_old(const struct args *paths, struct timespec begun)
{
    for (size_t i = 0; i < paths->n; i++) {
        struct stat st;

        if (stat(paths->v[i], &st) < 0 || st.st_ctim.tv_sec > begun.tv_sec ||
            (st.st_ctim.tv_sec == begun.tv_sec && st.st_ctim.tv_nsec >= begun.tv_nsec)) {
            return false;
        }
    }
    return paths->n < KEPT_FILES_MAX;
}

/* What a file is, as a text that another content does not have; to be freed. NULL: there is none. */
static char *identity(const char *path)
{
    struct hasher *h;
    struct stat st;
    struct key key;
    size_t size;
    char *data;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
        return NULL;
    }
    if (st.st_size > CONTENT_MAX) {
        return text_format("size %lld modified %lld.%09ld changed %lld.%09ld", (long long)st.st_size,
                           (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
                           st.st_ctim.tv_nsec);
    }
    data = file_read(path, CONTENT_MAX, &size, NULL);
    h = data ? hasher_new() : NULL;
    if (!h) {
        free(data);
        return NULL;
    }
    hasher_bytes(h, data, size);
    key = hasher_end(h);
    free(data);
    return text_format("%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

void kept_files_put(struct json_writer *w, cJSON *object, const struct args *paths)
{
    cJSON *list = json_put_list(w, object, "files"), *item;

    for (size_t i = 0; i < paths->n; i++) {
        char *is = identity(paths->v[i]);

        item = json_append_object(w, list);
        json_put_string(w, item, "path", paths->v[i]);
        json_put_string(w, item, "is", is ? is : "");
        free(is);
    }
}

bool kept_files_same(const struct json_source *src, const cJSON *object, struct args *paths)
{
    const cJSON *list, *item;

    if (json_get_list(src, object, "files", &list, NULL) < 0) {
        return false;
    }
    cJSON_ArrayForEach(item, list) {
        const char *path = json_text_of(item, "path"), *was = json_text_of(item, "is");
        char *is = path ? identity(path) : NULL;
        const bool same = is && was && strcmp(is, was) == 0;

        free(is);
        if (!same) {
            return false;
        }
        args_add(paths, "%s", path);
    }
    return !paths->failed;
}

bool kept_file_is_ours(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0);
}
