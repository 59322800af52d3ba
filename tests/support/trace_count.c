#include "tests/support/trace_count.h"

#include "common/base/file.h"

cJSON *read_json(const char *dir, const char *name)
{
    struct error err;
    char *path = file_join(dir, name, &err), *text = file_read(path, 1 << 20, NULL, &err);
    cJSON *doc = text ? cJSON_Parse(text) : NULL;

    free(path);
    free(text);
    assert_non_null(doc);
    return doc;
}

int count_events(const cJSON *doc, const char *ph, const char *name, int pid, int tid, double ts, double dur)
{
    const cJSON *events = cJSON_GetObjectItem(doc, "traceEvents"), *event;
    int n = 0;

    for (event = events ? events->child : NULL; event; event = event->next) {
        const cJSON *length = cJSON_GetObjectItem(event, "dur"), *at = cJSON_GetObjectItem(event, "ts");

        if (dur >= 0 && (!length || length->valuedouble != dur)) {
            continue;
        }
        if (strcmp(cJSON_GetObjectItem(event, "ph")->valuestring, ph) == 0 &&
            strcmp(cJSON_GetObjectItem(event, "name")->valuestring, name) == 0 &&
            cJSON_GetObjectItem(event, "pid")->valueint == pid && cJSON_GetObjectItem(event, "tid")->valueint == tid &&
            at->valuedouble == ts) {
            n++;
        }
    }
    return n;
}

int count_phase(const cJSON *doc, const char *ph)
{
    const cJSON *events = cJSON_GetObjectItem(doc, "traceEvents"), *event;
    int n = 0;

    for (event = events ? events->child : NULL; event; event = event->next) {
        n += strcmp(cJSON_GetObjectItem(event, "ph")->valuestring, ph) == 0;
    }
    return n;
}
