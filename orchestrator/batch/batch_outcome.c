#include "orchestrator/batch/batch_outcome.h"

#include <stdio.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/json_write.h"
#include "common/base/xml_text.h"

static const char *const names[BATCH_VERDICTS] = {"", "PASS", "FAIL", "INFRA"};

const char *batch_verdict_name(enum batch_verdict v)
{
    return names[v];
}

enum batch_verdict batch_verdict_of(const char *name)
{
    for (int v = BATCH_PASS; v < BATCH_VERDICTS; v++) {
        if (strcmp(name, names[v]) == 0) {
            return (enum batch_verdict)v;
        }
    }
    return BATCH_NOT_RUN;
}

size_t batch_count(const struct batch_outcome *outcomes, size_t n, enum batch_verdict v)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        count += outcomes[i].verdict == v;
    }
    return count;
}

static double total_seconds(const struct batch_outcome *outcomes, size_t n)
{
    double seconds = 0;

    for (size_t i = 0; i < n; i++) {
        seconds += outcomes[i].seconds;
    }
    return seconds;
}

static void put_entry(struct json_writer *w, cJSON *list, const struct batch_entry *e, const struct batch_outcome *o)
{
    cJSON *item = json_append_object(w, list);

    json_put_string(w, item, "work_dir", e->work_dir);
    json_put_text(w, item, "platform", e->platform);
    json_put_string(w, item, "result", o->verdict == BATCH_NOT_RUN ? "not run" : names[o->verdict]);
    if (o->verdict != BATCH_NOT_RUN) {
        json_put_number(w, item, "seconds", o->seconds);
    }
    if (o->verdict == BATCH_PASS && o->device >= 0) {
        json_put_number(w, item, "device", o->device);
    }
    if (o->earlier) {
        json_put_bool(w, item, "earlier", true);
    }
    json_put_text(w, item, "what", o->error.what);
    json_put_text(w, item, "where", o->error.where);
    json_put_text(w, item, "hint", o->error.hint);
}

int batch_write_json(const char *path, const struct manifest *m, const struct batch_outcome *outcomes,
                     struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list;

    json_put_number(&w, root, "batch", 1);
    json_put_number(&w, root, "entries", (double)m->count);
    json_put_number(&w, root, "pass", (double)batch_count(outcomes, m->count, BATCH_PASS));
    json_put_number(&w, root, "fail", (double)batch_count(outcomes, m->count, BATCH_FAIL));
    json_put_number(&w, root, "infra", (double)batch_count(outcomes, m->count, BATCH_INFRA));
    json_put_number(&w, root, "not_run", (double)batch_count(outcomes, m->count, BATCH_NOT_RUN));
    json_put_number(&w, root, "seconds", total_seconds(outcomes, m->count));
    list = json_put_list(&w, root, "results");
    for (size_t i = 0; i < m->count; i++) {
        put_entry(&w, list, &m->entries[i], &outcomes[i]);
    }
    return json_save(&w, root, path, JSON_NEWLINE, err);
}

static void put_case(FILE *f, const struct batch_entry *e, const struct batch_outcome *o)
{
    const char *kind = o->verdict == BATCH_FAIL ? "failure" : "error";

    fputs("  <testcase classname=\"l3replay\" name=\"", f);
    xml_put_text(f, e->work_dir);
    fprintf(f, "\" time=\"%.3f\"", o->seconds);
    if (o->verdict == BATCH_PASS) {
        fputs("/>\n", f);
        return;
    }
    if (o->verdict == BATCH_NOT_RUN) {
        fputs("><skipped/></testcase>\n", f);
        return;
    }
    fprintf(f, "><%s message=\"", kind);
    xml_put_text(f, o->error.what[0] ? o->error.what : names[o->verdict]);
    fputs("\">", f);
    xml_put_text(f, o->error.where);
    fputs(o->error.where[0] && o->error.hint[0] ? "\n" : "", f);
    xml_put_text(f, o->error.hint);
    fprintf(f, "</%s></testcase>\n", kind);
}

int batch_write_junit(const char *path, const struct manifest *m, const struct batch_outcome *outcomes,
                      struct error *err)
{
    struct file_writer w;

    if (file_write_begin(&w, path, err) < 0) {
        return -1;
    }
    fprintf(w.stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"l3replay batch\" tests=\"%zu\" "
            "failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
            m->count, batch_count(outcomes, m->count, BATCH_FAIL), batch_count(outcomes, m->count, BATCH_INFRA),
            batch_count(outcomes, m->count, BATCH_NOT_RUN), total_seconds(outcomes, m->count));
    for (size_t i = 0; i < m->count; i++) {
        put_case(w.stream, &m->entries[i], &outcomes[i]);
    }
    fputs("</testsuite>\n", w.stream);
    return file_write_commit(&w, err);
}
