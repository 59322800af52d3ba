#include "rank-worker/splice/target.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/args.h"
#include "common/base/file.h"

int target_split(struct span text, const char *shown, struct target_parts *out, struct error *err)
{
    size_t begin = text_find(text, 0, TARGET_BEGIN_MARK), end = text_find(text, 0, TARGET_END_MARK), from;

    if (begin == TEXT_NONE || end == TEXT_NONE || end < begin) {
        return error_set(err, shown,
                         "compile the program again: this build predates splicing from .pto files; or turn it off with "
                         "--no-rebuild-from-pto",
                         "%s lacks the lines \"%s\" and \"%s\" in this order, between which the new code would go",
                         shown, TARGET_BEGIN_MARK, TARGET_END_MARK);
    }
    from = begin + strlen(TARGET_BEGIN_MARK);
    out->head = (struct span){text.at, from};
    out->body = (struct span){text.at + from, end - from};
    out->tail = (struct span){text.at + end, text.size - end};
    return 0;
}

int target_join(const struct target_parts *parts, struct span body, char **fresh, size_t *size, struct error *err)
{
    struct text_output out;

    if (text_begin(&out, err)) {
        return -1;
    }
    text_put(&out, parts->head.at, parts->head.size);
    text_put(&out, "\n", 1);
    text_put(&out, body.at, body.size);
    text_put(&out, "\n", 1);
    text_put(&out, parts->tail.at, parts->tail.size);
    if (text_end(&out, err)) {
        return -1;
    }
    *fresh = out.data;
    *size = out.size;
    return 0;
}

char *target_path(const char *dir, struct span name, bool *failed, struct error *err)
{
    static const char *const cores[] = {"aic", "aiv"};

    *failed = false;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        char *path = text_format("%s/kernels/%s/%.*s.cpp", dir, cores[i], (int)name.size, name.at);
        bool found = path && file_is_regular(path);
        if (!path) {
            *failed = true;
            error_nomem(err, dir, strlen(dir) + name.size + 32);
            return NULL;
        }
        if (found) {
            memmove(path, path + strlen(dir) + 1, strlen(path + strlen(dir) + 1) + 1);
        }
        if (found) {
            return path;
        }
        free(path);
    }
    return NULL;
}
