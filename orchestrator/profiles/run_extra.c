#include "orchestrator/profiles/run_extra.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clean_name.h"
#include "common/base/json_out.h"

enum { MOST_LOSSES = 1000 };

void run_extra_write(FILE *f, const struct run_extra *extra)
{
    fputs(",\n \"stages\": [", f);
    for (uint32_t i = 0; i < extra->nstage; i++) {
        fprintf(f, "%s{\"name\": ", i ? ",\n  " : "");
        json_out_text(f, extra->stages[i].name);
        fprintf(f, ", \"start_ns\": %" PRId64 ", \"end_ns\": %" PRId64 "}", extra->stages[i].start_ns,
                extra->stages[i].end_ns);
    }
    fprintf(f, "],\n \"lost\": {\"count\": %" PRIu64 ", \"files\": [", extra->nlost);
    for (uint32_t i = 0; i < extra->nloss; i++) {
        fprintf(f, "%s{\"file\": ", i ? ",\n  " : "");
        json_out_text(f, extra->losses[i].file);
        fputs(", \"why\": ", f);
        json_out_text(f, extra->losses[i].why);
        putc('}', f);
    }
    fputs("]}", f);
}

static int read_stages(const struct json_source *src, const cJSON *list, struct run_extra *extra)
{
    const int64_t huge = INT64_C(1) << 53;
    const cJSON *item;

    if (json_array(src, "stages", list)) {
        return -1;
    }
    extra->stages = calloc(RUN_STAGES_MAX, sizeof *extra->stages);
    if (!extra->stages) {
        return error_nomem(src->err, src->file, RUN_STAGES_MAX * sizeof *extra->stages);
    }
    cJSON_ArrayForEach(item, list) {
        struct run_stage *stage = &extra->stages[extra->nstage];

        if (extra->nstage == RUN_STAGES_MAX) {
            return json_fail(src, "stages", "there are more than %d", RUN_STAGES_MAX);
        }
        if (json_string(src, "stages[].name", cJSON_GetObjectItemCaseSensitive(item, "name"), &stage->name) ||
            json_int(src, "stages[].start_ns", cJSON_GetObjectItemCaseSensitive(item, "start_ns"), -huge, huge,
                     &stage->start_ns) ||
            json_int(src, "stages[].end_ns", cJSON_GetObjectItemCaseSensitive(item, "end_ns"), stage->start_ns, huge,
                     &stage->end_ns)) {
            return -1;
        }
        clean_name(cJSON_GetObjectItemCaseSensitive(item, "name")->valuestring);
        extra->nstage++;
    }
    return 0;
}

static int read_lost(const struct json_source *src, const cJSON *lost, struct run_extra *extra)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(lost, "files"), *item;
    int64_t count;
    int size = cJSON_GetArraySize(list);

    if (json_int(src, "lost.count", cJSON_GetObjectItemCaseSensitive(lost, "count"), 0, INT64_C(1) << 53, &count) ||
        json_array(src, "lost.files", list)) {
        return -1;
    }
    if (size > MOST_LOSSES || size > count) {
        return json_fail(src, "lost.files", "there are more than \"count\" says, or than %d", MOST_LOSSES);
    }
    extra->nlost = (uint64_t)count;
    extra->losses = calloc((size_t)size + 1, sizeof *extra->losses);
    if (!extra->losses) {
        return error_nomem(src->err, src->file, (size_t)size * sizeof *extra->losses);
    }
    cJSON_ArrayForEach(item, list) {
        struct run_loss *loss = &extra->losses[extra->nloss++];

        if (json_string(src, "lost.files[].file", cJSON_GetObjectItemCaseSensitive(item, "file"), &loss->file) ||
            json_string(src, "lost.files[].why", cJSON_GetObjectItemCaseSensitive(item, "why"), &loss->why)) {
            return -1;
        }
        clean_name(cJSON_GetObjectItemCaseSensitive(item, "file")->valuestring);
        clean_name(cJSON_GetObjectItemCaseSensitive(item, "why")->valuestring);
    }
    return 0;
}

int run_extra_read(const struct json_source *src, const cJSON *record, struct run_extra *extra)
{
    const cJSON *stages = cJSON_GetObjectItemCaseSensitive(record, "stages");
    const cJSON *lost = cJSON_GetObjectItemCaseSensitive(record, "lost");

    memset(extra, 0, sizeof *extra);
    if (stages && read_stages(src, stages, extra) < 0) {
        return -1;
    }
    return lost ? read_lost(src, lost, extra) : 0;
}

void run_extra_free(struct run_extra *extra)
{
    free(extra->stages);
    free(extra->losses);
    memset(extra, 0, sizeof *extra);
}

void run_extra_report(const struct run_extra *extra, struct notes *notes)
{
    if (extra->nlost && !extra->nloss) {
        notes_add(notes, "%" PRIu64 " profile files were lost on their way", extra->nlost);
    } else if (extra->nlost) {
        notes_add(notes, "%" PRIu64 " profile file%s lost on the way, the first: %s (%s)", extra->nlost,
                  extra->nlost == 1 ? " was" : "s were", extra->losses[0].file, extra->losses[0].why);
    }
}

uint64_t run_extra_lead_ns(const struct run_extra *extra)
{
    int64_t first = 0;

    for (uint32_t i = 0; i < extra->nstage; i++) {
        if (extra->stages[i].start_ns < first) {
            first = extra->stages[i].start_ns;
        }
    }
    return (uint64_t)-first;
}
