#include "orchestrator/job/notices.h"

#include <stdbool.h>
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

void notices_end(void)
{
    log_keep(NULL);
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        notes_free(&lists[kind]);
        lists[kind] = (struct notes){0};
    }
}
