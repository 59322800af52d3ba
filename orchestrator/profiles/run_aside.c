#include "orchestrator/profiles/run_aside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clean_name.h"
#include "common/base/json_out.h"

enum { MOST_LOSSES = 1000 };

void run_aside_write(FILE *f, const struct run_aside *aside)
{
    fputs(",\n \"stages\": [", f);
    for (uint32_t i = 0; i < aside->nstage; i++) {
        fprintf(f, "%s{\"name\": ", i ? ",\n  " : "");
        json_out_text(f, aside->stages[i].name);
        fprintf(f, ", \"start_ns\": %" PRId64 ", \"end_ns\": %" PRId64 "}", aside->stages[i].start_ns,
                aside->stages[i].end_ns);
    }
    fprintf(f, "],\n \"lost\": {\"count\": %" PRIu64 ", \"files\": [", aside->nlost);
    for (uint32_t i = 0; i < aside->nloss; i++) {
        fprintf(f, "%s{\"file\": ", i ? ",\n  " : "");
        json_out_text(f, aside->losses[i].file);
        fputs(", \"why\": ", f);
        json_out_text(f, aside->losses[i].why);
        putc('}', f);
    }
    fputs("]}", f);
}

static int read_stages(const struct json_source *src, const cJSON *list, struct run_aside *aside)
{
    const int64_t huge = INT64_C(1) << 53;
    const cJSON *item;

    if (json_array(src, "stages", list)) {
        return -1;
    }
    aside->stages = calloc(RUN_STAGES_MAX, sizeof *aside->stages);
    if (!aside->stages) {
        return error_nomem(src->err, src->file, RUN_STAGES_MAX * sizeof *aside->stages);
    }
    cJSON_ArrayForEach (item, list) {
        struct run_stage *stage = &aside->stages[aside->nstage];

        if (aside->nstage == RUN_STAGES_MAX) {
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
        aside->nstage++;
    }
    return 0;
}

static int read_lost(const struct json_source *src, const cJSON *lost, struct run_aside *aside)
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
    aside->nlost = (uint64_t)count;
    aside->losses = calloc((size_t)size + 1, sizeof *aside->losses);
    if (!aside->losses) {
        return error_nomem(src->err, src->file, (size_t)size * sizeof *aside->losses);
    }
    cJSON_ArrayForEach (item, list) {
        struct run_loss *loss = &aside->losses[aside->nloss++];

        if (json_string(src, "lost.files[].file", cJSON_GetObjectItemCaseSensitive(item, "file"), &loss->file) ||
            json_string(src, "lost.files[].why", cJSON_GetObjectItemCaseSensitive(item, "why"), &loss->why)) {
            return -1;
        }
        clean_name(cJSON_GetObjectItemCaseSensitive(item, "file")->valuestring);
        clean_name(cJSON_GetObjectItemCaseSensitive(item, "why")->valuestring);
    }
    return 0;
}

int run_aside_read(const struct json_source *src, const cJSON *record, struct run_aside *aside)
{
    const cJSON *stages = cJSON_GetObjectItemCaseSensitive(record, "stages");
    const cJSON *lost = cJSON_GetObjectItemCaseSensitive(record, "lost");

    memset(aside, 0, sizeof *aside);
    if (stages && read_stages(src, stages, aside) < 0) {
        return -1;
    }
    return lost ? read_lost(src, lost, aside) : 0;
}

void run_aside_free(struct run_aside *aside)
{
    free(aside->stages);
    free(aside->losses);
    memset(aside, 0, sizeof *aside);
}

void run_aside_tell(const struct run_aside *aside, struct notes *notes)
{
    if (aside->nlost && !aside->nloss) {
        notes_add(notes, "%" PRIu64 " profile files were lost on their way", aside->nlost);
    } else if (aside->nlost) {
        notes_add(notes, "%" PRIu64 " profile file%s lost on the way, the first: %s (%s)", aside->nlost,
                  aside->nlost == 1 ? " was" : "s were", aside->losses[0].file, aside->losses[0].why);
    }
}

uint64_t run_aside_lead_ns(const struct run_aside *aside)
{
    int64_t first = 0;

    for (uint32_t i = 0; i < aside->nstage; i++) {
        if (aside->stages[i].start_ns < first) {
            first = aside->stages[i].start_ns;
        }
    }
    return (uint64_t)-first;
}
