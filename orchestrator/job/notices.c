#include "orchestrator/job/notices.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

enum { KIND_COUNT = LOG_KIND_WARNING + 1 };

static struct notes lists[KIND_COUNT];

static bool is_kept(const struct notes *l, const char *text)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static void keep(enum log_kind kind, const char *text)
{
    if (!is_kept(&lists[kind], text)) {
        notes_add(&lists[kind], "%s", text);
    }
}

void notices_keep(void)
{
    notices_end();
    log_keep(keep);
}

size_t notices_list(enum log_kind kind, const char *const **texts)
{
    *texts = (const char *const *)lists[kind].items;
    return lists[kind].count;
}

size_t notices_count(void)
{
    return lists[LOG_KIND_NOTE].count + lists[LOG_KIND_WARNING].count;
}

static char kind_letter(int kind)
{
    return kind == LOG_KIND_NOTE ? 'N' : 'W';
}

char *notices_pack(size_t *nbytes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    *nbytes = 0;
    if (!f) {
        return NULL;
    }
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (size_t i = 0; i < lists[kind].count; i++) {
            const char *item = lists[kind].items[i];

            if ((size_t)ftell(f) + strlen(item) + 2 <= NOTICES_TEXT_MAX && !strchr(item, '\n')) {
                fprintf(f, "%c%s\n", kind_letter(kind), item);
            }
        }
    }
    if (fclose(f) != 0 || size == 0) {
        free(text);
        return NULL;
    }
    *nbytes = size;
    return text;
}

void notices_unpack(const char *text, size_t nbytes)
{
    for (const char *end; nbytes && (end = memchr(text, '\n', nbytes));
         nbytes -= (size_t)(end + 1 - text), text = end + 1) {
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            char *item = *text == kind_letter(kind) ? strndup(text + 1, (size_t)(end - text - 1)) : NULL;

            if (item) {
                keep((enum log_kind)kind, item);
            }
            free(item);
        }
    }
}

void notices_end(void)
{
    log_keep(NULL);
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        notes_free(&lists[kind]);
        lists[kind] = (struct notes){0};
    }
}
