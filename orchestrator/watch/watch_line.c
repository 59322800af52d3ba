#include "orchestrator/watch/watch_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_write.h"

static void put_changed(FILE *f, const struct watch_result *r)
{
    for (size_t i = 0; i < r->changed.n; i++) {
        fprintf(f, "%s%s", i ? ", " : "  ", r->changed.v[i]);
    }
    if (!r->changed.n && r->known) {
        fputs("  nothing changed", f);
    }
}

char *watch_line_text(const struct watch_result *r, double before_ms, const char *time_of_day)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    if (!f) {
        return NULL;
    }
    fprintf(f, "%s  %-5s  %7.3f s", time_of_day, r->verdict[0] ? r->verdict : "-", r->seconds);
    if (r->span_ms >= 0) {
        fprintf(f, "  dispatches %.3f ms", r->span_ms);
        if (before_ms >= 0) {
            fprintf(f, " (before: %.3f)", before_ms);
        }
    }
    if (strcmp(r->verdict, "PASS") == 0 && r->compared < r->outputs) {
        fprintf(f, "  %d of %d outputs compared", r->compared, r->outputs);
    }
    put_changed(f, r);
    if (r->error[0]) {
        fprintf(f, "  %s", r->error);
    }
    if (fclose(f) != 0) {
        free(text);
        return NULL;
    }
    for (char *at = text; *at; at++) { /* it is one line, whatever is in a name */
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    }
    return text;
}

char *watch_line_json(const struct watch_result *r, double before_ms)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list;

    json_put_string(&w, root, "result", r->verdict);
    json_put_number(&w, root, "seconds", r->seconds);
    if (r->span_ms >= 0) {
        json_put_number(&w, root, "dispatches_ms", r->span_ms);
    }
    if (before_ms >= 0) {
        json_put_number(&w, root, "before_ms", before_ms);
    }
    if (r->compared >= 0) {
        json_put_number(&w, root, "compared", r->compared);
        json_put_number(&w, root, "outputs", r->outputs);
    }
    json_put_bool(&w, root, "changes_known", r->known);
    list = json_put_list(&w, root, "changed");
    for (size_t i = 0; i < r->changed.n; i++) {
        json_append_text(&w, list, r->changed.v[i]);
    }
    json_put_text(&w, root, "error", r->error);
    return json_finish_line(&w, root, "watch", NULL);
}
