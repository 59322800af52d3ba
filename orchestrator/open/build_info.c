#include "orchestrator/open/build_info.h"

#include "common/base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const platforms[] = {"a2a3", "a2a3sim", "a5", "a5sim"};

const char *build_platform_names(void)
{
    return "a2a3, a2a3sim, a5, a5sim";
}

bool build_platform_is_known(const char *platform)
{
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        if (strcmp(platform, platforms[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool build_platform_is_sim(const struct build *b)
{
    size_t n = strlen(b->platform);

    return n > 3 && strcmp(b->platform + n - 3, "sim") == 0;
}

int build_add_note(struct build *b, struct error *err, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (array_room(&b->notes, &b->note_capacity, b->nnote, sizeof *b->notes)) {
        return error_nomem(err, text, (b->nnote + 1) * sizeof *b->notes);
    }
    b->notes[b->nnote] = strdup(text);
    if (!b->notes[b->nnote]) {
        return error_nomem(err, text, strlen(text) + 1);
    }
    b->nnote++;
    return 0;
}

static void free_texts(char **texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(texts[i]);
    }
    free(texts);
}

void build_free(struct build *b)
{
    for (uint32_t i = 0; i < b->nparam; i++) {
        free(b->params[i].name);
        free(b->params[i].dtype_text);
    }
    free(b->params);
    free_texts(b->program_names, b->nprogram);
    free_texts(b->notes, b->nnote);
    sub_workers_free(&b->sub_workers);
    free(b->device_ids);
    free(b->dir);
    free(b->platform);
    free(b->backend_type);
    free(b->runtime);
    memset(b, 0, sizeof *b);
}

/* --- parameter names ---------------------------------------------------- */

size_t build_plain_length(const char *full)
{
    const char *suffix = strstr(full, "__");

    /* "__x" is a whole name: the compiler puts its suffix after a base that is not empty. */
    return suffix && suffix != full ? (size_t)(suffix - full) : strlen(full);
}

static bool is_plain(const char *full, const char *plain, size_t length)
{
    return length > 0 && build_plain_length(full) == length && strncmp(full, plain, length) == 0;
}

static void list_names(build_name_at *name_at, const void *of, size_t count, const char *plain, char *list, size_t size)
{
    size_t length = plain ? strlen(plain) : 0, used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        const char *name = name_at(of, i);

        if (name && (!plain || is_plain(name, plain, length))) {
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
        }
    }
}

long build_match_name(build_name_at *name_at, const void *of, size_t count, const char *name, struct error *err)
{
    size_t length = strlen(name), matches = 0;
    char list[700];
    long found = -1;

    for (size_t i = 0; i < count; i++) {
        const char *other = name_at(of, i);

        if (other && strcmp(other, name) == 0) {
            return (long)i;
        }
        if (other && is_plain(other, name, length)) {
            found = (long)i;
            matches++;
        }
    }
    if (matches == 1) {
        return found;
    }
    list_names(name_at, of, count, matches ? name : NULL, list, sizeof list);
    if (matches) {
        error_set_kind(err, ERROR_USAGE, NULL, "write the full name", "\"%.60s\" can mean several parameters: %s", name,
                       list);
    } else {
        error_set_kind(err, ERROR_USAGE, NULL, "name one of them", "there is no parameter \"%.60s\"; there are: %s",
                       name, *list ? list : "none");
    }
    return -1;
}

static const char *param_name(const void *of, size_t i)
{
    const struct build *b = of;

    return b->params[i].name;
}

const struct build_param *build_find_param(const struct build *b, const char *name, struct error *err)
{
    long found = build_match_name(param_name, b, b->nparam, name, err);

    return found < 0 ? NULL : &b->params[found];
}
